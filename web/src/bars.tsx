// Cost and throughput side by side as bars from zero, with the interval as a whisker.
import { currencyOf } from './columns';
import type { Estimate, Platform, Value } from './data';
import { count, decimalsFor, fixed, interval, missing } from './format';
import { useWords } from './language';
import { colour } from './series';
import { roundStep } from './step_curve';

interface Bar {
  platform: Platform;
  estimate: Estimate;
  /** Said in place of the value. */
  instead: string | null;
}

export function Bars({ platforms }: { platforms: Platform[] }) {
  const { s } = useWords();
  const currency = currencyOf(platforms) ?? platforms.find((platform) => platform.cptls.value !== null)?.cptls.currency ?? null;
  const cost = platforms.map((platform): Bar => {
    const foreign = platform.cptls.value !== null && platform.cptls.currency !== null && platform.cptls.currency !== currency;
    return { platform, estimate: platform.cptls, instead: foreign ? s.bars.otherCurrency : null };
  });
  const throughput = platforms.map((platform): Bar => ({ platform, estimate: platform.outputThroughput, instead: null }));
  return (
    <section aria-labelledby="bars-title">
      <div class="section-head">
        <h2 id="bars-title">{s.bars.title}</h2>
        <p>{s.bars.by}{platforms.some((platform) => platform.feasible !== true) && s.bars.infeasible}</p>
      </div>
      <div class="bars">
        <Panel id="bars-cost" title={s.bars.cptls(currency)} hint={s.bars.less} bars={cost} most={4} />
        <Panel id="bars-throughput" title={s.bars.throughput} hint={s.bars.more} bars={throughput} most={1} />
      </div>
    </section>
  );
}

function Panel({ id, title, hint, bars, most }: { id: string; title: string; hint: string; bars: Bar[]; most: number }) {
  const shown = bars.filter(({ instead }) => instead === null).map(({ estimate }) => estimate);
  const largest = Math.max(0, ...shown.flatMap(({ value, high }) => [value ?? 0, high ?? 0]));
  const decimals = decimalsFor(shown.map(({ value }) => value), most);
  const format = (value: Value): string => fixed(value, decimals);
  const step = largest > 0 ? roundStep(largest / 4) : 1;
  const top = Math.max(1, Math.ceil(largest / step - 1e-9)) * step;
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  return (
    <figure id={id}>
      <figcaption>{title} <small>{hint}</small></figcaption>
      {bars.map(({ platform, estimate, instead }, index) => (
        <div class={`bar${platform.feasible === true ? '' : ' missed'}`} key={index}>
          <span class="name">{platform.name}</span>
          <Track estimate={instead === null ? estimate : null} top={top} ticks={ticks} fill={colour(index)} />
          <span class="value">{instead ?? format(estimate.value)}{instead === null && <small>{interval(estimate, format) ?? ''}</small>}</span>
        </div>
      ))}
      {largest > 0 && (
        <div class="bar scale" aria-hidden="true">
          <span class="name" />
          <span class="marks">
            {ticks.map((tick) => <span key={tick} style={{ left: `${(tick / top) * 100}%` }}>{step >= 1 ? count(tick) : fixed(tick, decimalsFor([step], 6) - 2)}</span>)}
          </span>
          <span class="value" />
        </div>
      )}
    </figure>
  );
}

function Track({ estimate, top, ticks, fill }: { estimate: Estimate | null; top: number; ticks: number[]; fill: string }) {
  const at = (value: number): string => `${(value / top) * 100}%`;
  const { value = null, low = null, high = null } = estimate ?? {};
  return (
    <svg class="track" aria-hidden="true" data-missing={value === null ? missing : undefined}>
      {ticks.map((tick) => <line key={tick} class="grid" x1={at(tick)} x2={at(tick)} y1="0" y2="100%" />)}
      {value !== null && <rect x="0" y="28%" height="44%" width={at(value)} style={{ fill }} />}
      {low !== null && high !== null && (
        <g class="whisker">
          <line x1={at(low)} x2={at(high)} y1="50%" y2="50%" />
          <line x1={at(low)} x2={at(low)} y1="34%" y2="66%" />
          <line x1={at(high)} x2={at(high)} y1="34%" y2="66%" />
        </g>
      )}
    </svg>
  );
}
