// Numbers as text. A column shares its decimals so that its points line up.
import type { Estimate, Value } from './data';

export const missing = '–';

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

export function fixed(value: Value, decimals: number): string {
  if (value === null) return missing;
  if (Math.abs(value) >= 1e12) return scientific(value);
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const sign = value < 0 && Number(value.toFixed(decimals)) !== 0 ? '−' : '';
  return sign + grouped(whole) + (fraction === undefined ? '' : `.${fraction}`);
}

export const count = (value: Value): string => fixed(value, 0);

/** Decimals that give the smallest of the values at least three significant digits, `most` at most. */
export function decimalsFor(values: readonly Value[], most: number): number {
  const sizes = values.filter((value): value is number => value !== null && value !== 0).map(Math.abs);
  if (sizes.length === 0) return 0;
  return Math.min(most, Math.max(0, 2 - Math.floor(Math.log10(Math.min(...sizes)))));
}

/** For a figure on its own: three significant digits or all of its whole part. */
export const plain = (value: Value): string => fixed(value, decimalsFor([value], 6));

/**
 * A share in percent, without the sign. Rounding must not turn a share into another verdict: as many
 * decimals (up to four) as keep 0.9996 off 100 and 0.9499 off a boundary of 95.
 */
export function percent(share: Value, boundary: Value = null): string {
  if (share === null) return missing;
  for (let decimals = 1; ; ++decimals) {
    const shown = Number((share * 100).toFixed(decimals)) / 100;
    const lies = (edge: number): boolean => shown === Number(edge.toFixed(8)) && Math.abs(share - edge) > 1e-9;
    const edges = boundary === null ? [0, 1] : [0, 1, boundary];
    if (decimals === 4 || !edges.some(lies)) return fixed(share * 100, decimals);
  }
}

/** A target share in percent, as people write it: 95, 99.9. */
export const level = (share: number): string => String(Number((share * 100).toFixed(6)));

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** 2.10×10⁻⁹; plain digits where they are short. */
export function scientific(value: Value): string {
  if (value === null) return missing;
  if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)) return plain(value);
  const [mantissa = '', exponent = '0'] = value.toExponential(2).split('e');
  const power = Math.abs(Number(exponent)).toString().replace(/\d/g, (digit) => superscripts.charAt(Number(digit)));
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${power}`.replace('-', '−');
}

/** [low, high], open where n is too small to bound it; null when there is no interval at all. Nothing here is negative. */
export function interval(estimate: Estimate, format: (value: Value) => string): string | null {
  const { low, high } = estimate;
  if (low === null && high === null) return null;
  return `[${format(low ?? 0)}, ${high === null ? '∞)' : `${format(high)}]`}`;
}

/** 2026-12-02 18:15, as recorded (UTC); anything else unchanged. */
export const minute = (moment: string): string => {
  const parts = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(moment);
  return parts ? `${parts[1]} ${parts[2]}` : moment;
};

export const secondsBetween = (start: string, end: string): Value => {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
};

/** A unit as it is written in print: USD*s/token becomes USD·s/token. */
export const printedUnit = (unit: string): string => unit.replace(/\*/g, '·');
