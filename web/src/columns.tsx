// The ranking's columns: group, title, and what a platform shows in it.
import type { ComponentChildren } from 'preact';
import type { Estimate, Platform, Value } from './data';
import { count, decimalsFor, fixed, interval, missing, percent, printedUnit, scientific } from './format';
import type { Words } from './language';
import { common } from './ranking_order';

interface Cell {
  title?: string;
  children: ComponentChildren;
}

export interface Column {
  key: string;
  group: string;
  groupTitle: string;
  title: string;
  classes: string;
  cell: (platform: Platform) => Cell;
}

type Draft = Omit<Column, 'group' | 'groupTitle' | 'classes'> & { classes?: string };

export function columnsOf(platforms: readonly Platform[], target: Value, words: Words): Column[] {
  const { s } = words;
  const group = (key: string, groupTitle: string, drafts: Draft[]): Column[] =>
    drafts.map((draft, index) => ({
      ...draft, group: key, groupTitle, classes: [key, index === 0 ? 'first' : '', draft.classes ?? ''].join(' ').trim(),
    }));
  const currency = currencyOf(platforms);
  return [
    ...group('cost', s.ranking.cost(currency), costColumns(platforms, currency, words)),
    ...group('sla', s.ranking.sla, slaColumns(target, words)),
    ...group('ttft', s.ranking.ttft, latencyColumns(platforms, 'ttft', words)),
    ...group('e2e', s.ranking.e2e, latencyColumns(platforms, 'e2e', words)),
    ...group('output', s.ranking.output, [throughputColumn(platforms, words)]),
    ...group('requests', s.ranking.requests, [
      { key: 'n', title: s.ranking.n, cell: ({ n }) => ({ children: count(n) }) },
      { key: 'failed', title: s.ranking.failed, cell: ({ failed }) => ({ children: <span class={failed ? 'bad' : ''}>{count(failed)}</span> }) },
    ]),
    ...group('published', s.ranking.published, [indexColumn(platforms)]),
  ];
}

/** The one currency of the table; null when rows differ, and then each cell names its own. */
export const currencyOf = (platforms: readonly Platform[]): string | null =>
  common(platforms.map((platform) => platform.cptls.currency ?? platform.costTotal.currency));

function costColumns(platforms: readonly Platform[], currency: string | null, { s }: Words): Draft[] {
  const decimals = decimalsFor(platforms.map((platform) => platform.cptls.value), 4);
  const format = (value: Value): string => fixed(value, decimals);
  const own = ({ cptls, costTotal }: Platform, value: Value) => {
    const name = currency === null && value !== null ? cptls.currency ?? costTotal.currency : null;
    return name === null ? null : <span class="unit"> {name}</span>;
  };
  return [
    {
      key: 'cptls', title: s.ranking.good, classes: 'key',
      cell: (platform) => ({
        children: <>{format(platform.cptls.value)}{own(platform, platform.cptls.value)}<Range text={interval(platform.cptls, format)} /></>,
      }),
    },
    {
      key: 'cost', title: s.ranking.all,
      cell: (platform) => ({ children: <>{format(platform.costPerMillion)}{own(platform, platform.costPerMillion)}</> }),
    },
  ];
}

function slaColumns(target: Value, { s }: Words): Draft[] {
  const format = (share: Value): string => percent(share, target);
  return [
    {
      key: 'met', title: s.ranking.met, classes: 'word',
      cell: ({ feasible }) => ({
        children: feasible === null ? s.ranking.unknown : feasible
          ? <span class="good"><span aria-hidden="true">✓ </span>{s.ranking.yes}</span>
          : <span class="bad"><span aria-hidden="true">✗ </span>{s.ranking.no}</span>,
      }),
    },
    {
      key: 'by-request', title: s.ranking.byRequest,
      cell: ({ attainmentRequests: share }) => ({
        children: <>{format(share.value)}<Range text={interval(share, format)} /></>,
      }),
    },
    { key: 'by-token', title: s.ranking.byToken, cell: ({ attainmentTokens }) => ({ children: format(attainmentTokens) }) },
  ];
}

function latencyColumns(platforms: readonly Platform[], metric: 'ttft' | 'e2e', { s }: Words): Draft[] {
  const all = platforms.flatMap(({ latency }) => [latency[metric].p50.value, latency[metric].p99.value]);
  const decimals = decimalsFor(all, 1);
  const format = (value: Value): string => fixed(value, decimals);
  return (['p50', 'p99'] as const).map((percentile) => ({
    key: `${metric}-${percentile}`, title: percentile.toUpperCase(),
    cell: (platform) => {
      const estimate = platform.latency[metric][percentile];
      return { title: hover(estimate, format, s), children: <>{format(estimate.value)}<TooFew estimate={estimate} /></> };
    },
  }));
}

function throughputColumn(platforms: readonly Platform[], { s }: Words): Draft {
  const decimals = decimalsFor(platforms.map((platform) => platform.outputThroughput.value), 1);
  const format = (value: Value): string => fixed(value, decimals);
  return {
    key: 'throughput', title: s.ranking.tokensPerSecond,
    cell: ({ outputThroughput }) => ({ title: hover(outputThroughput, format, s), children: format(outputThroughput.value) }),
  };
}

function indexColumn(platforms: readonly Platform[]): Draft {
  const units = platforms.map(({ publishedIndex }) => (publishedIndex.value === null ? null : publishedIndex.unit));
  const unit = common(units);
  return {
    key: 'index', title: unit === null ? '' : printedUnit(unit),
    cell: ({ publishedIndex: { value, unit: own } }) => ({
      children: <>{scientific(value)}{value !== null && unit === null && own !== null && <span class="unit"> {printedUnit(own)}</span>}</>,
    }),
  };
}

function hover(estimate: Estimate, format: (value: Value) => string, s: Words['s']): string {
  if (estimate.value === null) return missing;
  const range = interval(estimate, format);
  const text = range === null ? s.ranking.noInterval : s.ranking.interval(range);
  return estimate.tooFew ? `${text}; ${s.ranking.noUpperBound}` : text;
}

export function Range({ text }: { text: string | null }) {
  return text === null ? null : <span class="range">{text}</span>;
}

/** The mark hangs in the margin, so that the digits of the column stay aligned. */
export function TooFew({ estimate }: { estimate: Estimate }) {
  return estimate.tooFew ? <span class="mark hanging">†</span> : null;
}

