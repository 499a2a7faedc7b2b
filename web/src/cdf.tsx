// Latency distributions, one tab a metric, and beside them the shares to read off.
import { useEffect, useRef, useState } from 'preact/hooks';
import { drawCdf } from './cdf_chart';
import type { Metric, Platform, Report } from './data';
import { fixed, level, missing, percent } from './format';
import { useWords } from './language';
import { Swatch } from './series';
import { limitsOf, shareAt } from './step_curve';

const tabs = ['ttft', 'e2e', 'tpot'] as const satisfies readonly Metric[];
type Tab = (typeof tabs)[number];

export function Cdf({ platforms, report }: { platforms: Platform[]; report: Report }) {
  const { s } = useWords();
  const [tab, setTab] = useState<Tab>('ttft');
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [hoverX, setHoverX] = useState<number | null>(null);
  const limits = limitsOf(report.slaTerms, tab, report.slaTarget);
  const x = hoverX ?? limits[0]?.x ?? null;
  const toggle = (index: number): void => {
    const next = new Set(hidden);
    if (!next.delete(index)) next.add(index);
    setHidden(next);
  };
  return (
    <section aria-labelledby="cdf-title">
      <div class="section-head">
        <h2 id="cdf-title">{s.cdf.title}</h2>
        <p>{s.cdf.by}</p>
        <Tabs tab={tab} choose={(next) => { setTab(next); setHoverX(null); }} />
      </div>
      <div class="cdf" id="cdf-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Chart {...{ platforms, report, tab, hidden, setHoverX }} />
        <div class="reading">
          <table>
            <thead>
              <tr><td><small>{s.metricNames[tab]}</small></td><th scope="col">{x === null ? missing : s.cdf.atMost(fixed(x, x < 100 ? 1 : 0))}<small>{s.cdf.share}</small></th></tr>
            </thead>
            <tbody>
              {platforms.map((platform, index) => (
                <tr key={index} class={hidden.has(index) ? 'off' : ''}>
                  <th scope="row">
                    <button type="button" aria-pressed={!hidden.has(index)} title={s.cdf.toggle(platform.name)} onClick={() => toggle(index)}>
                      <Swatch index={index} /><span>{platform.name}</span>
                    </button>
                  </th>
                  <td>{x === null ? missing : percent(shareAt(platform.cdf[tab], x))}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="hint">{s.cdf.hover}{limits.some(({ share }) => share !== null) && <> {s.cdf.corner}</>}</p>
        </div>
      </div>
    </section>
  );
}

function Tabs({ tab, choose }: { tab: Tab; choose: (tab: Tab) => void }) {
  const { s } = useWords();
  const onKey = (event: KeyboardEvent): void => {
    const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = tabs[(tabs.indexOf(tab) + direction + tabs.length) % tabs.length];
    if (direction === 0 || next === undefined) return;
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={s.cdf.title} onKeyDown={onKey}>
      {tabs.map((name) => (
        <button key={name} type="button" role="tab" id={`tab-${name}`} aria-selected={name === tab} aria-controls="cdf-panel"
          tabIndex={name === tab ? 0 : -1} title={s.metricNames[name]} onClick={() => choose(name)}>
          {s.metrics[name]}
        </button>
      ))}
    </div>
  );
}

interface ChartProps {
  platforms: Platform[];
  report: Report;
  tab: Tab;
  hidden: ReadonlySet<number>;
  setHoverX: (x: number | null) => void;
}

function Chart({ platforms, report, tab, hidden, setHoverX }: ChartProps) {
  const { s, language } = useWords();
  const host = useRef<HTMLDivElement>(null);
  const limits = limitsOf(report.slaTerms, tab, report.slaTarget);
  const curves = platforms
    .map((platform, series) => ({ curve: platform.cdf[tab], series, faint: platform.feasible !== true, name: platform.name }))
    .filter(({ curve, series }) => curve.length > 0 && !hidden.has(series));
  useEffect(() => {
    if (host.current === null || curves.length === 0) return undefined;
    const axisTitle = (log: boolean): string => s.cdf.axis(s.metrics[tab], log);
    return drawCdf(host.current, { curves, limits, axisTitle, onHover: setHoverX });
  }, [tab, language, hidden, platforms.length]);
  if (curves.length === 0) return <p class="no-data">{s.cdf.noData}</p>;
  const said = limits.map(({ text, share }) => (share === null ? text : `${text} (${level(share)} %)`)).join(s.semicolon);
  return (
    <div class="chart" ref={host} tabIndex={0} role="img" data-limits={said}
      aria-label={`${s.cdf.picture(s.metrics[tab], curves.map(({ name }) => name).join(', '))}. ${said}`} />
  );
}
