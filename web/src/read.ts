// From the JSON in the page to a Report. Whatever is absent or of the wrong type is a missing value:
// a report that lacks a figure must still show all others.
import {
  type Bilingual, type Curve, type Distribution, type Estimate, type ExchangeRates, type Metric,
  metrics, type Offer, type Platform, type Report, type Spread, type Text, type Value, type Workload,
} from './data';

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown): Value => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const text = (value: unknown): Text =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null;
const isPresent = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** An interval with a lower end alone is that of a sample too small to have an upper one. */
const estimate = (from: Fields, key: string): Estimate => {
  const [low, high] = [number(from[`${key}_low`]), number(from[`${key}_high`])];
  return { value: number(from[key]), low, high, tooFew: from[`${key}_n_too_small`] === true || (low !== null && high === null) };
};

/** `{STEM_en, STEM_zh}`, or a plain string that serves both languages. */
const bilingual = (value: unknown, stem = 'text'): Bilingual => {
  if (typeof value === 'string') return { en: value, zh: value };
  const from = fields(value);
  const plain = text(from[stem]);
  return { en: text(from[`${stem}_en`]) ?? plain, zh: text(from[`${stem}_zh`]) ?? plain };
};
const sentences = (value: unknown): Bilingual[] =>
  list(value).map((entry) => bilingual(entry)).filter((entry) => entry.en !== null || entry.zh !== null);

const distribution = (value: unknown): Distribution => {
  const from = fields(value);
  return {
    n: number(from.n), nEffective: number(from.n_effective),
    mean: number(from.mean), std: number(from.std), min: number(from.min), max: number(from.max),
    p50: estimate(from, 'p50'), p90: estimate(from, 'p90'), p99: estimate(from, 'p99'),
  };
};

const curve = (value: unknown): Curve =>
  list(value)
    .map((point) => list(point).map(number))
    .flatMap(([x, y]) => (typeof x === 'number' && typeof y === 'number' ? [[x, y] as const] : []))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);

const ofEachMetric = <T>(make: (metric: Metric) => T): Record<Metric, T> =>
  Object.fromEntries(metrics.map((metric) => [metric, make(metric)])) as Record<Metric, T>;

const offer = (value: unknown): Offer | null => {
  if (!isPresent(value)) return null;
  const from = fields(value);
  return {
    text: text(from.text), scheme: text(from.scheme), count: number(from.count) ?? number(from.gpus),
    source: text(from.source), date: text(from.date), note: text(from.note),
  };
};

const platform = (value: unknown): Platform => {
  const from = fields(value);
  const cptls = fields(from.cptls);
  const index = fields(from.published_index);
  const cost = fields(from.cost);
  const total = fields(cost.total);
  const certificate = fields(from.certificate);
  return {
    rank: number(from.rank),
    name: text(from.name) ?? '?',
    origin: text(from.origin),
    emulated: from.emulated === true,
    feasible: typeof from.feasible === 'boolean' ? from.feasible : null,
    reasons: sentences(from.reasons),
    cptls: {
      value: number(cptls.amount), low: number(cptls.low), high: number(cptls.high), tooFew: false,
      currency: text(cptls.currency),
    },
    costPerMillion: number(from.cost_per_million_output_tokens),
    publishedIndex: {
      name: text(index.name), value: number(index.value), unit: text(index.unit), note: bilingual(index, 'note'),
    },
    offer: offer(from.offer),
    costTotal: { amount: number(total.amount), currency: text(total.currency) },
    costLines: list(cost.lines).map(fields).map((line) => ({
      name: bilingual(line, 'name'), quantity: number(line.quantity), unit: text(line.unit), amount: number(line.amount),
    })),
    n: number(from.n),
    completed: number(from.completed),
    failed: number(from.failed),
    failures: list(from.failures).map(fields).map((failure) => ({
      kind: text(failure.class), count: number(failure.count), example: text(failure.example),
    })),
    attainmentRequests: estimate(from, 'attainment_requests'),
    attainmentTokens: number(from.attainment_tokens),
    windowSeconds: number(from.window_s),
    latency: ofEachMetric((metric) => distribution(from[`${metric}_ms`])),
    outputThroughput: estimate(from, 'output_throughput'),
    requestThroughput: number(from.request_throughput),
    inputTokens: number(from.total_input_tokens),
    outputTokens: number(from.total_output_tokens),
    goodOutputTokens: number(from.good_output_tokens),
    tokenSource: text(from.token_source),
    certificate: { verdict: text(certificate.verdict), reasons: sentences(certificate.reasons) },
    cdf: ofEachMetric((metric) => curve(fields(from.cdf)[`${metric}_ms`])),
  };
};

const spread = (value: unknown): Spread => {
  const from = fields(value);
  return { mean: number(from.mean), min: number(from.min), max: number(from.max) };
};

const workload = (value: unknown): Workload | null => {
  if (!isPresent(value)) return null;
  const from = fields(value);
  return {
    dataset: text(from.dataset), source: text(from.source), licence: text(from.licence),
    requests: number(from.requests), rounds: number(from.rounds), arrivals: text(from.arrivals),
    requestRate: number(from.request_rate_rps), maxConcurrency: number(from.max_concurrency),
    inputTokens: spread(from.input_tokens), outputTokens: spread(from.output_tokens), seed: number(from.seed),
  };
};

const exchangeRates = (value: unknown): ExchangeRates | null => {
  if (!isPresent(value)) return null;
  const from = fields(value);
  const rates = Object.entries(fields(from.rates)).flatMap(([currency, rate]): [string, number][] =>
    typeof rate === 'number' ? [[currency, rate]] : []);
  return { base: text(from.base), date: text(from.date), source: text(from.source), rates };
};

/** Null when there is no ranking: the page is then the empty template. */
export function readReport(json: unknown): Report | null {
  if (!isPresent(json)) return null;
  const from = fields(json);
  const sla = fields(from.sla);
  return {
    version: text(from.steelyard_version), runId: text(from.run_id), suite: text(from.suite),
    startedAt: text(from.started_at), endedAt: text(from.ended_at), interrupted: from.interrupted === true, vantage: text(from.vantage),
    workload: workload(from.workload),
    slaTerms: list(sla.terms).map(fields).map((term) => ({
      text: text(term.text) ?? '?', metric: text(term.metric), stat: text(term.stat), thresholdMs: number(term.threshold_ms),
    })),
    slaTarget: number(sla.target),
    fx: exchangeRates(from.fx),
    platforms: list(from.platforms).map(platform),
    notes: sentences(from.notes),
    definitions: list(from.definitions).map(fields).map((definition) => ({
      name: bilingual(definition, 'name'), text: bilingual(definition),
    })),
  };
}
