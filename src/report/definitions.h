// The words that stand under every report, so that a figure is never read as another tool's.
#pragma once

#include <array>
#include <string_view>

#include "report/language.h"

namespace steelyard::report {

struct Definition {
  std::string_view name;     // English, or the field's own term in both languages
  std::string_view name_zh;  // empty: as in English
  std::string_view text_en;
  std::string_view text_zh;
};

inline constexpr std::string_view name_of(const Definition& definition, Language language) {
  return language == Language::kEnglish || definition.name_zh.empty() ? definition.name
                                                                      : definition.name_zh;
}

inline constexpr std::array<Definition, 9> kDefinitions = {{
    {"CPTLS", "",
     "total cost of the window / output tokens of requests that met every per-request SLA term, "
     "per million",
     "窗口总成本 ÷ 满足全部单请求 SLA 条款的请求的输出 Token 数，按每百万计"},
    {"cptls_as_published", "",
     "price per hour x mean E2E / (3600 x throughput x attainment): the formula of an article on "
     "evaluating platforms; its unit is currency x s / token, a delay-weighted index and no money",
     "每小时价格 × 平均 E2E ÷（3600 × 吞吐 × 达标率）：某平台评测文章的公式；单位为 货币·秒/Token，"
     "是时延加权指数，并非金额"},
    {"TTFT", "", "first chunk with content, reasoning or a tool call - send",
     "首个含正文、推理或工具调用的数据块时刻 − 发送时刻"},
    {"TPOT", "", "(last token chunk - first token chunk) / (output tokens - 1)",
     "（末个 − 首个含 Token 的数据块时刻）÷（输出 Token 数 − 1）"},
    {"ITL", "", "gap between chunks, spread over the tokens of the later one",
     "相邻数据块间隔，按后一块的 Token 数均摊"},
    {"E2E", "", "last byte - send", "最后一个字节时刻 − 发送时刻"},
    {"attainment", "达标率（attainment）",
     "share of all due requests that met every per-request SLA term; a failure is a miss",
     "全部应发请求中满足所有单请求 SLA 条款的比例；失败计为未达标"},
    {"percentile", "百分位数", "nearest rank; intervals from order statistics, 95 %",
     "最近秩法；区间取自次序统计量，置信度 95 %"},
    {"intervals of CPTLS and throughput", "CPTLS 与吞吐的区间", "bootstrap over requests, 95 %",
     "对请求做自助法重抽样，置信度 95 %"},
}};

}  // namespace steelyard::report
