#!/usr/bin/env python3
"""Writes fixture.json: a ranking as the program writes it, with invented latencies of a fixed seed.

The figures agree with one another (percentiles, curves, attainment and costs come from the same requests), so
that what the page shows can be checked against what the page should say.
"""
import json
import math
import pathlib
import random
import re

RANDOM = random.Random(20261202)
Z = 1.96
TTFT_MS, E2E_MS, TARGET = 500.0, 6000.0, 0.95


def digits(value, significant=5):
    return None if value is None else float(f"{value:.{significant}g}")


def nearest_rank(ordered, share):
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def order_statistic_interval(ordered, share):
    """Normal approximation to the binomial ranks; None where the sample has no such rank."""
    n, half = len(ordered), Z * math.sqrt(len(ordered) * share * (1 - share))
    low, high = math.floor(n * share - half), math.ceil(n * share + half)
    return (ordered[low - 1] if low >= 1 else None), (ordered[high - 1] if high <= n else None)


def distribution(values):
    if not values:
        return {key: None for key in ("mean", "std", "min", "max", "p50", "p90", "p99")} | {"n": 0}
    ordered, mean = sorted(values), sum(values) / len(values)
    out = {"n": len(values), "n_effective": digits(len(values) / 1.75), "mean": digits(mean),
           "min": digits(ordered[0]), "max": digits(ordered[-1]),
           "std": digits(math.sqrt(sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1)))}
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        low, high = order_statistic_interval(ordered, share)
        out |= {name: digits(nearest_rank(ordered, share)), f"{name}_low": digits(low), f"{name}_high": digits(high),
                f"{name}_n_too_small": high is None}
    return out


def curve(values, points=80):
    ordered = sorted(values)
    ranks = sorted({max(1, round(len(ordered) * (i + 1) / points)) for i in range(points)} | {1, len(ordered)})
    return [[digits(ordered[r - 1]), digits(r / len(ordered))] for r in ranks if r <= len(ordered)]


def wilson(share, n):
    centre, half = share + Z * Z / (2 * n), Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return digits(max(0.0, (centre - half) / (1 + Z * Z / n)), 4), digits(min(1.0, (centre + half) / (1 + Z * Z / n)), 4)


def requests(n, ttft_ms, ttft_sigma, tpot_ms, tpot_sigma):
    made = []
    for _ in range(n):
        tokens = max(1, min(420, round(RANDOM.lognormvariate(4.6, 0.7))))
        ttft = ttft_ms * RANDOM.lognormvariate(0, ttft_sigma)
        tpot = tpot_ms * RANDOM.lognormvariate(0, tpot_sigma)
        made.append({"ttft": ttft, "tpot": tpot, "tokens": tokens, "e2e": ttft + tpot * (tokens - 1)})
    return made


def platform(name, sent, done, price, offer, *, rank=None, emulated=True, failures=(), certificate=None, reasons=None,
             window_s=None):
    good = [r for r in done if r["ttft"] <= TTFT_MS and r["e2e"] <= E2E_MS]
    out_tokens, good_tokens = sum(r["tokens"] for r in done), sum(r["tokens"] for r in good)
    share, token_share = len(good) / sent, (good_tokens / out_tokens if out_tokens else 0.0)
    low, high = wilson(share, sent)
    window = window_s or sum(r["e2e"] for r in done) / 1000 / 8
    amount, lines = price(window, done)
    cptls = 1e6 * amount / good_tokens if good_tokens else None
    tps = out_tokens / window if done else None
    ttft, e2e = [r["ttft"] for r in done], [r["e2e"] for r in done]
    tpot = [r["tpot"] for r in done if r["tokens"] > 1]
    feasible = share >= TARGET and nearest_rank(sorted(ttft), 0.99) <= TTFT_MS if ttft else False
    mean_s = sum(e2e) / len(e2e) / 1000 if e2e else None
    return {
        "rank": rank, "name": name, "origin": "measured", "emulated": emulated, "feasible": feasible,
        "reasons": reasons or [{"text_en": "meets every SLA term", "text_zh": "满足全部 SLA 条款"}],
        "cptls": cptls and {"amount": digits(cptls), "currency": "USD", "per": "1M good output tokens",
                            "low": digits(cptls * 0.955), "high": digits(cptls * 1.05)},
        "cost_per_million_output_tokens": digits(1e6 * amount / out_tokens) if out_tokens else None,
        "published_index": {"name": "cptls_as_published", "unit": "USD*s/token",
                            "value": digits(amount / window * mean_s / (tps * share)) if share else None,
                            "note_en": "delay-weighted index, not money", "note_zh": "时延加权指数，并非金额"},
        "offer": offer, "cost": {"total": {"amount": digits(amount), "currency": "USD"}, "lines": lines},
        "n": sent, "completed": len(done), "failed": sent - len(done), "failures": list(failures),
        "attainment_requests": digits(share, 4), "attainment_requests_low": low, "attainment_requests_high": high,
        "attainment_tokens": digits(token_share, 4) if out_tokens else None, "window_s": digits(window),
        "ttft_ms": distribution(ttft), "tpot_ms": distribution(tpot),
        "itl_ms": distribution([t * RANDOM.lognormvariate(0, 0.3) for t in tpot for _ in range(4)]), "e2e_ms": distribution(e2e),
        "output_throughput": digits(tps), "output_throughput_low": digits(tps and tps * 0.97),
        "output_throughput_high": digits(tps and tps * 1.03), "request_throughput": digits(len(done) / window) if done else None,
        "total_input_tokens": sent * 512, "total_output_tokens": out_tokens, "good_output_tokens": good_tokens,
        "token_source": "usage" if done else None,
        "certificate": certificate or {"verdict": "valid", "reasons": []},
        "cdf": {"ttft_ms": curve(ttft), "e2e_ms": curve(e2e), "tpot_ms": curve(tpot)} if done else
               {"ttft_ms": [], "e2e_ms": [], "tpot_ms": []},
    }


def by_hour(price):
    def cost(window, _):
        amount = price * window / 3600
        return amount, [{"name_en": "GPU time", "name_zh": "GPU 时间", "quantity": digits(window), "unit": "s",
                         "amount": digits(amount)}]
    return cost


def by_token(price_in, price_out):
    def cost(_, done):
        tokens_in, tokens_out = 512 * len(done), sum(r["tokens"] for r in done)
        paid_in, paid_out = tokens_in * price_in / 1e6, tokens_out * price_out / 1e6
        return paid_in + paid_out, [
            {"name_en": "input tokens", "name_zh": "输入 token", "quantity": tokens_in, "unit": "token", "amount": digits(paid_in)},
            {"name_en": "output tokens", "name_zh": "输出 token", "quantity": tokens_out, "unit": "token", "amount": digits(paid_out)}]
    return cost


def offer(text, scheme, count, source, date, note):
    return {"text": text, "scheme": scheme, "count": count, "source": source, "date": date, "note": note}


platforms = [
    platform("vllm-self-hosted", 600, requests(600, 92, 0.32, 11.5, 0.10), by_hour(0.79),
             offer("0.79 USD/h", "per_hour", 1, "https://example.org/prices/gpu", "2026-10-19", "community cloud, published price"), rank=1),
    platform("together-serverless", 600, requests(597, 130, 0.38, 8.2, 0.14), by_token(0.10, 0.18),
             offer("0.10 USD/1M input, 0.18 USD/1M output", "per_token", None, "https://example.org/pricing", "2026-11-12", None),
             rank=2, failures=[{"class": "refused", "count": 2, "example": "503 Service Unavailable: model is overloaded, retry after 2 s"},
                               {"class": "truncated", "count": 1, "example": "stream ended after 41 tokens without finish_reason"}]),
    platform("阿里云 PAI-EAS 上海 A10 双副本按量付费", 600, requests(600, 118, 0.36, 16.5, 0.12), by_hour(2.42),
             offer("8.60 CNY/h × 2", "per_hour", 2, "https://example.org/pai-eas", "2026-11-28", "list price, pay as you go"), rank=3,
             certificate={"verdict": "degraded", "reasons": [
                 {"text_en": "1.2 % of sends were more than 1 ms late", "text_zh": "1.2 % 的请求发送迟于计划 1 ms 以上"}]}),
    platform("llamacpp-cpu", 90, requests(90, 310, 0.14, 38.0, 0.10), by_hour(0.34),
             offer("0.34 USD/h", "per_hour", 1, "https://example.org/vm", "2026-11-02", "16 vCPU virtual machine"), emulated=False,
             reasons=[{"text_en": "e2e<6s is met by too few requests: the target is 95 %", "text_zh": "满足 e2e<6s 的请求太少：目标为 95 %"}]),
    platform("modal-scale-to-zero", 60, [], by_hour(2.50),
             offer("2.50 USD/h", "per_second", 1, "https://example.org/modal", "2026-11-20", None), window_s=31.0,
             failures=[{"class": "timeout", "count": 60, "example": "no byte within 30 s of the send (cold start)"}],
             reasons=[{"text_en": "no request completed", "text_zh": "没有请求完成"}]),
]

ranking = {
    "schema_version": 1, "kind": "evaluation", "steelyard_version": "0.1.0", "run_id": "20261202-181500-page",
    "suite": "chat-8b", "started_at": "2026-12-02T18:15:00Z", "ended_at": "2026-12-02T18:31:42Z", "interrupted": False, "vantage": "Frankfurt, 16 cores",
    "workload": {"dataset": "trace", "source": "Azure LLM inference trace 2023, conversation", "licence": "CC-BY 4.0", "requests": 600,
                 "rounds": 3, "arrivals": "closed loop", "request_rate_rps": None, "max_concurrency": 8,
                 "input_tokens": {"mean": 512.0, "min": 4, "max": 4021}, "output_tokens": {"mean": 124.6, "min": 1, "max": 420}, "seed": 1},
    "sla": {"terms": [{"text": "ttft.p99<500ms", "metric": "ttft", "stat": "p99", "threshold_ms": TTFT_MS},
                      {"text": "e2e<6s", "metric": "e2e", "stat": "each", "threshold_ms": E2E_MS}], "target": TARGET},
    "fx": {"base": "USD", "date": "2026-11-30", "source": "ECB reference rates", "rates": {"CNY": 7.08, "EUR": 0.861}},
    "platforms": platforms,
    "notes": [{"text_en": "Figures of emulated platforms are derived from a published table that is physically impossible; they show the "
                          "shape of the result, not a platform's merit.",
               "text_zh": "仿真平台的数字由一张物理上不可能的公开表格推导而来，只展示结果的形态，不代表平台的优劣。"},
              {"text_en": "Platforms were measured in turn, round by round, from the same machine.",
               "text_zh": "各平台在同一台机器上逐轮交替测量。"},
              {"text_en": "llamacpp-cpu and modal-scale-to-zero were stopped at the time limit, before all requests were sent.",
               "text_zh": "llamacpp-cpu 与 modal-scale-to-zero 到达时限即停止，未发完全部请求。"}],
    "definitions": [
        {"name": "CPTLS", "text_en": "total cost of the run ÷ output tokens of requests that met every SLA term, per million",
         "text_zh": "测量总费用 ÷ 满足全部 SLA 条款的请求的输出 token 数，按百万计"},
        {"name": "TTFT", "text_en": "first chunk with content, reasoning or a tool call − send",
         "text_zh": "首个含正文、推理或工具调用的数据块时刻 − 发送时刻"},
        {"name": "TPOT", "text_en": "(E2E − TTFT) / (output tokens − 1)", "text_zh": "(E2E − TTFT) /（输出 token 数 − 1）"},
        {"name": "E2E", "text_en": "last byte − send", "text_zh": "最后一个字节 − 发送时刻"},
        {"name": "P99", "text_en": "nearest rank; its interval comes from order statistics", "text_zh": "最近秩定义；区间由次序统计量给出"}],
}
if __name__ == "__main__":
    text = json.dumps(ranking, ensure_ascii=False, indent=1)
    points_on_one_line = re.sub(r"\[\s+([-\d.e]+),\s+([-\d.e]+)\s+\]", r"[\1, \2]", text)
    pathlib.Path(__file__).with_name("fixture.json").write_text(points_on_one_line + "\n")
