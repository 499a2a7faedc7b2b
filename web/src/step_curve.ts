// An empirical distribution as a step function, and several of them on one x axis.
import type { Curve, Metric, SlaTerm, Value } from './data';

/** The share of requests at or below x; null for a platform without a curve. */
export function shareAt(curve: Curve, x: number): Value {
  if (curve.length === 0) return null;
  let [low, high] = [0, curve.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve[middle]?.[0] ?? Infinity) <= x) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : curve[low - 1]?.[1] ?? null;
}

export interface Aligned {
  xs: number[];
  shares: Value[][];
}

/** Every curve at every x of any; each rises from 0 at its own first point and ends at its last. */
export function aligned(curves: readonly Curve[]): Aligned {
  const justBefore = (x: number): number => x - Math.abs(x) * 1e-9;
  const all = new Set<number>();
  for (const curve of curves) {
    curve.forEach(([x], index) => {
      if (index === 0) all.add(justBefore(x));
      all.add(x);
    });
  }
  const xs = [...all].sort((a, b) => a - b);
  const shares = curves.map((curve) => {
    const first = justBefore(curve[0]?.[0] ?? Infinity);
    const last = curve[curve.length - 1]?.[0] ?? -Infinity;
    return xs.map((x) => (x < first || x > last ? null : shareAt(curve, x)));
  });
  return { xs, shares };
}

/** One SLA term on the chart: the curve must be at `share` or above when it reaches `x`. */
export interface Limit {
  x: number;
  share: Value;
  text: string;
}

export function limitsOf(terms: readonly SlaTerm[], metric: Metric, target: Value): Limit[] {
  return terms.flatMap((term): Limit[] => {
    const own = term.metric === 'e2el' ? 'e2e' : term.metric;
    if (own !== metric || term.thresholdMs === null) return [];
    const percentile = /^p(\d+(?:\.\d+)?)$/.exec(term.stat ?? '')?.[1];
    const share = percentile !== undefined ? Number(percentile) / 100 : term.stat === 'mean' ? null : target;
    return [{ x: term.thresholdMs, share, text: term.text }];
  });
}

export interface Axis {
  low: number;
  high: number;
  log: boolean;
}

/** Logarithmic where the values span more than a factor of eight. */
export function axisOf(values: readonly number[]): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least > 0 && most / least > 8) return { low: least / 1.2, high: most * 1.25, log: true };
  const margin = (most - least || Math.abs(most) || 1) * 0.06;
  return { low: Math.max(0, least - margin), high: most + margin * 1.5, log: false };
}

/** Where the axis carries a number: 1, 2, 5 of each decade, or round steps. */
export function ticksOf({ low, high, log }: Axis): number[] {
  if (!log) {
    const step = roundStep((high - low) / 6);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
  }
  const ticks: number[] = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); ++decade) {
    ticks.push(...[1, 2, 5].map((digit) => digit * 10 ** decade));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** The smallest of 1, 2, 5 times a power of ten that is at least `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * 0.9999) ?? power;
}
