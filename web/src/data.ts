// The ranking as the page sees it: every value that may be missing is null, every list is a list.
// read.ts makes it from the JSON in the file.

export type Value = number | null;
export type Text = string | null;

/** A sentence in both languages; one of them may be missing. */
export interface Bilingual {
  en: Text;
  zh: Text;
}

/** A figure with its interval. `tooFew`: n is too small to bound it. */
export interface Estimate {
  value: Value;
  low: Value;
  high: Value;
  tooFew: boolean;
}

export const percentiles = ['p50', 'p90', 'p99'] as const;
export type Percentile = (typeof percentiles)[number];

export interface Distribution extends Record<Percentile, Estimate> {
  n: Value;
  nEffective: Value;
  mean: Value;
  std: Value;
  min: Value;
  max: Value;
}

export const metrics = ['ttft', 'tpot', 'itl', 'e2e'] as const;
export type Metric = (typeof metrics)[number];

/** Latency in ms and the share of requests at or below it, ascending. */
export type Curve = readonly (readonly [number, number])[];

export interface Offer {
  text: Text;
  scheme: Text;
  count: Value;
  source: Text;
  date: Text;
  note: Text;
}

export interface CostLine {
  name: Bilingual;
  quantity: Value;
  unit: Text;
  amount: Value;
}

export interface Failure {
  kind: Text;
  count: Value;
  example: Text;
}

export interface Platform {
  rank: Value;
  name: string;
  origin: Text;
  emulated: boolean;
  feasible: boolean | null;
  reasons: Bilingual[];
  cptls: Estimate & { currency: Text };
  costPerMillion: Value;
  publishedIndex: { name: Text; value: Value; unit: Text; note: Bilingual };
  offer: Offer | null;
  costTotal: { amount: Value; currency: Text };
  costLines: CostLine[];
  n: Value;
  completed: Value;
  failed: Value;
  failures: Failure[];
  attainmentRequests: Estimate;
  attainmentTokens: Value;
  windowSeconds: Value;
  latency: Record<Metric, Distribution>;
  outputThroughput: Estimate;
  requestThroughput: Value;
  inputTokens: Value;
  outputTokens: Value;
  goodOutputTokens: Value;
  tokenSource: Text;
  certificate: { verdict: Text; reasons: Bilingual[] };
  cdf: Record<Metric, Curve>;
}

export interface SlaTerm {
  text: string;
  metric: Text;
  stat: Text;
  thresholdMs: Value;
}

export interface Spread {
  mean: Value;
  min: Value;
  max: Value;
}

export interface Workload {
  dataset: Text;
  source: Text;
  licence: Text;
  requests: Value;
  rounds: Value;
  arrivals: Text;
  requestRate: Value;
  maxConcurrency: Value;
  inputTokens: Spread;
  outputTokens: Spread;
  seed: Value;
}

export interface ExchangeRates {
  base: Text;
  date: Text;
  source: Text;
  rates: [currency: string, rate: number][];
}

export interface Report {
  version: Text;
  runId: Text;
  suite: Text;
  startedAt: Text;
  endedAt: Text;
  interrupted: boolean;
  vantage: Text;
  workload: Workload | null;
  slaTerms: SlaTerm[];
  slaTarget: Value;
  fx: ExchangeRates | null;
  platforms: Platform[];
  notes: Bilingual[];
  definitions: { name: Bilingual; text: Bilingual }[];
}
