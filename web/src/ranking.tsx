// The ranking table. Its columns are data; a row opens to its platform's details.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { columnsOf, type Column } from './columns';
import type { Platform, Value } from './data';
import { Details } from './details';
import { useWords } from './language';
import { common } from './ranking_order';
import { Swatch } from './series';

interface Props {
  ranked: Platform[];
  infeasible: Platform[];
  target: Value;
}

export function Ranking({ ranked, infeasible, target }: Props) {
  const words = useWords();
  const { s } = words;
  const platforms = [...ranked, ...infeasible];
  const columns = columnsOf(platforms, target, words);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = (index: number): void => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    setOpen(next);
  };
  const allOpen = open.size === platforms.length;
  const row = (platform: Platform, index: number) => (
    <Row key={index} {...{ platform, index, columns, target }} isOpen={open.has(index)} toggle={() => toggle(index)} />
  );
  return (
    <section aria-labelledby="ranking-title">
      <div class="section-head">
        <h2 id="ranking-title">{s.ranking.title}</h2>
        <p>{s.ranking.by}</p>
        <button type="button" class="quiet" id="open-all"
          onClick={() => setOpen(new Set(allOpen ? [] : platforms.keys()))}>
          {allOpen ? s.ranking.closeAll : s.ranking.openAll}
        </button>
      </div>
      <div class="scroll" role="region" aria-labelledby="ranking-title" tabIndex={0}>
        <table class="ranking" id="ranking">
          <Head columns={columns} />
          <tbody>{ranked.map(row)}</tbody>
          {infeasible.length > 0 && (
            <tbody class="infeasible">
              <tr class="divider"><th colSpan={columns.length + 2} scope="rowgroup"><span>{s.ranking.infeasible}</span></th></tr>
              {infeasible.map((platform, index) => row(platform, ranked.length + index))}
            </tbody>
          )}
        </table>
      </div>
      <Legend platforms={platforms} />
    </section>
  );
}

/** Two rows: the groups with their units, then the columns. */
function Head({ columns }: { columns: readonly Column[] }) {
  const { s } = useWords();
  const groups: { title: string; key: string; span: number }[] = [];
  for (const { group, groupTitle } of columns) {
    const last = groups[groups.length - 1];
    if (last?.key === group) ++last.span;
    else groups.push({ key: group, title: groupTitle, span: 1 });
  }
  return (
    <thead>
      <tr class="groups">
        <th rowSpan={2} class="rank" scope="col">{s.ranking.rank}</th>
        <th rowSpan={2} class="name" scope="col">{s.ranking.platform}</th>
        {groups.map(({ key, title, span }) => <th key={key} colSpan={span} scope="colgroup" class={`first ${key}`}><span>{title}</span></th>)}
      </tr>
      <tr>
        {columns.map((column) => <th key={column.key} scope="col" class={column.classes}>{column.title}</th>)}
      </tr>
    </thead>
  );
}

interface RowProps {
  platform: Platform;
  index: number;
  columns: readonly Column[];
  target: Value;
  isOpen: boolean;
  toggle: () => void;
}

function Row({ platform, index, columns, target, isOpen, toggle }: RowProps): VNode {
  const { s, pick, word } = useWords();
  const ranked = platform.feasible === true;
  const reasons = platform.reasons.map(pick).filter((reason) => reason !== null);
  const onRow = (event: MouseEvent): void => {
    const selecting = getSelection()?.toString() !== '';
    if (!selecting && !(event.target as Element).closest('a, button')) toggle();
  };
  return (
    <>
      <tr class={`platform${ranked ? '' : ' missed'}${isOpen ? ' open' : ''}`} data-platform={platform.name} onClick={onRow}>
        <td class="rank">
          <button type="button" class="expander" aria-expanded={isOpen} aria-controls={`details-${index}`}
            aria-label={s.ranking.details(platform.name)} onClick={toggle}>
            <span class="chevron" aria-hidden="true" />{ranked ? platform.rank ?? '–' : '–'}
          </button>
        </td>
        <th class="name" scope="row">
          <span class="title"><Swatch index={index} /><span>{platform.name}</span></span>
          <span class="badges">
            {platform.origin !== null && <span class="origin">{word(platform.origin)}</span>}
            {platform.emulated && <span class="badge emulated">{s.ranking.emulated}</span>}
            <CertificateBadge verdict={platform.certificate.verdict} />
          </span>
        </th>
        {columns.map((column) => <td key={column.key} class={column.classes} {...column.cell(platform)} />)}
      </tr>
      {!ranked && reasons.length > 0 && (
        <tr class="missed reasons"><td class="rank" /><td colSpan={columns.length + 1}><span>{reasons.join(s.semicolon)}</span></td></tr>
      )}
      <tr class="details" id={`details-${index}`} hidden={!isOpen}>
        <td colSpan={columns.length + 2}>{isOpen && <Details platform={platform} target={target} />}</td>
      </tr>
    </>
  );
}

/** A figure from a client that could not keep up is not to be trusted; the row says so. */
function CertificateBadge({ verdict }: { verdict: string | null }) {
  const { s } = useWords();
  if (verdict !== 'degraded' && verdict !== 'invalid') return null;
  return <span class="badge doubtful">{s.ranking.doubtful[verdict]}</span>;
}

function Legend({ platforms }: { platforms: readonly Platform[] }) {
  const { s, pick } = useWords();
  const tooFew = platforms.some(({ latency }) =>
    [latency.ttft.p50, latency.ttft.p99, latency.e2e.p50, latency.e2e.p99].some((estimate) => estimate.tooFew));
  const index = platforms.map((platform) => platform.publishedIndex).find(({ value }) => value !== null);
  const note = index === undefined ? null : pick(index.note);
  const name = common(platforms.map((platform) => platform.publishedIndex.name));
  return (
    <ul class="legend">
      <li>{s.ranking.brackets}</li>
      {tooFew && <li><b class="mark">†</b> {s.ranking.tooFew}</li>}
      {index !== undefined && <li>{s.ranking.published}{name !== null && <> <code>{name}</code></>}: {note ?? s.ranking.publishedNote}</li>}
    </ul>
  );
}
