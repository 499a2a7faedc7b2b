// Who stands where, and what may be said about it. No figure is computed here that the program has
// not ranked by; only intervals are compared, so that the sentence never claims more than they allow.
import type { Estimate, Platform, Report } from './data';

/** Ranked platforms by rank, then those that miss the SLA in the order of the data. */
export function inOrder(platforms: readonly Platform[]): { ranked: Platform[]; infeasible: Platform[] } {
  const byRank = (a: Platform, b: Platform): number => (a.rank ?? Infinity) - (b.rank ?? Infinity) || 0;
  return {
    ranked: platforms.filter((platform) => platform.feasible === true).sort(byRank),
    infeasible: platforms.filter((platform) => platform.feasible !== true),
  };
}

export type Overlap = 'apart' | 'overlapping' | 'unknown';

export function overlap(a: Estimate, b: Estimate): Overlap {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return 'unknown';
  return a.low <= b.high && b.low <= a.high ? 'overlapping' : 'apart';
}

export type Verdict =
  | { kind: 'empty' }
  | { kind: 'none' }
  | { kind: 'unpriced'; feasible: number }
  | { kind: 'only'; winner: Platform }
  | { kind: 'cheapest'; winner: Platform; next: Platform; cheaperBy: number | null; certain: boolean }
  | { kind: 'tied'; winner: Platform; tied: Platform[]; next: Platform | null };

export function verdictOf(report: Report): Verdict {
  if (report.platforms.length === 0) return { kind: 'empty' };
  const { ranked } = inOrder(report.platforms);
  if (ranked.length === 0) return { kind: 'none' };
  const [winner, ...others] = ranked.filter((platform) => platform.cptls.value !== null);
  if (winner === undefined) return { kind: 'unpriced', feasible: ranked.length };
  const [next] = others;
  if (next === undefined) return { kind: 'only', winner };

  const comparable = others.filter((other) => other.cptls.currency === winner.cptls.currency);
  const tied = comparable.filter((other) => overlap(winner.cptls, other.cptls) === 'overlapping');
  if (tied.length > 0) {
    return { kind: 'tied', winner, tied, next: others.find((other) => !tied.includes(other)) ?? null };
  }
  return { kind: 'cheapest', winner, next, cheaperBy: cheaperBy(winner, next), certain: overlap(winner.cptls, next.cptls) === 'apart' };
}

/** The share by which the first costs less than the second, 0.31 for 31 %. */
function cheaperBy(first: Platform, second: Platform): number | null {
  const [low, high] = [first.cptls.value, second.cptls.value];
  if (low === null || high === null || high <= 0 || low > high) return null;
  return first.cptls.currency === second.cptls.currency ? 1 - low / high : null;
}

/** The one value that all share; null when they differ or there is none. */
export function common<T>(values: readonly (T | null)[]): T | null {
  const present = values.filter((value): value is T => value !== null);
  const [first] = present;
  return first !== undefined && present.every((value) => value === first) ? first : null;
}
