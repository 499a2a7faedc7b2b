#include "report/loads_words.h"

namespace steelyard::report {
namespace {

constexpr LoadsWords kEnglish = {
    .language = "en",
    .title = "Throughput and latency under load",
    .emulated = "EMULATED by '{}': no platform was measured",
    .sla = "SLA: ",
    .target = ", for {} of requests",
    .knee = "Knee: ",
    .input = "{} input tokens",
    .milliseconds = "{}, ms",
    .log = " (log)",
    .no_value = "no value was measured",
    .all_tokens = "output tokens/s, all users",
    .all_requests = "requests completed/s",
    .one_user = "output tokens/s, one user (1 / median TPOT)",
    .frontier = "All users against one",
    .p50 = "P50",
    .p99 = "P99",
    .ring = "knee",
    .band = "where the knee lies, 95 %",
    .misses = "× misses the SLA",
    .at_once = "numbers: requests at once",
    .per_second = "numbers: requests due per second",
    .bars =
        "Bars are 95 % intervals; a dotted end is open: too few requests. The knee is the load of "
        "the "
        "greatest power, answers/s / time in the system: beyond it more load costs more in "
        "waiting, by "
        "shares, than it buys in throughput.",
    .not_on_frontier = "open: surely beaten",
};
constexpr LoadsWords kChinese = {
    .language = "zh",
    .title = "负载下的吞吐与时延",
    .emulated = "由“{}”仿真：未测量任何平台",
    .sla = "SLA：",
    .target = "，要求 {} 的请求达标",
    .knee = "拐点：",
    .input = "输入 {} Token",
    .milliseconds = "{}，毫秒",
    .log = "（对数）",
    .no_value = "没有测得数值",
    .all_tokens = "全部用户的输出 Token/s",
    .all_requests = "每秒完成请求数",
    .one_user = "单个用户的输出 Token/s（1 ÷ TPOT 中位数）",
    .frontier = "全部用户与单个用户",
    .p50 = "P50",
    .p99 = "P99",
    .ring = "拐点",
    .band = "拐点所在范围，95 %",
    .misses = "× 未满足 SLA",
    .at_once = "数字：并发请求数",
    .per_second = "数字：每秒应发请求数",
    .bars =
        "误差线为 95 % 区间，点线端表示样本太少而无界。拐点是功率（每秒回答数 ÷ "
        "在系统中的时间）最大的负载："
        "超过它，再加负载所增等待的比例大于所增吞吐的比例。",
    .not_on_frontier = "空心：确定不如另一负载",
};

}  // namespace

const LoadsWords& loads_words(Language language) {
  return language == Language::kChinese ? kChinese : kEnglish;
}

}  // namespace steelyard::report
