// What was asked of the platforms, at which rates money was converted, and what each word means.
import type { Report, Spread } from './data';
import { count, level, missing, plain } from './format';
import { useWords } from './language';
import { Terms } from './terms';

export function Context({ report }: { report: Report }) {
  const { s } = useWords();
  return (
    <section class="context" aria-labelledby="context-title">
      <div class="section-head"><h2 id="context-title">{s.context.title}</h2></div>
      <div class="columns">
        <div>
          <WorkloadTerms report={report} />
          <SlaAndRates report={report} />
        </div>
        <div>
          <Notes report={report} />
          <Definitions report={report} />
        </div>
      </div>
      <footer>
        {report.version !== null && <>{s.context.made(report.version)} </>}{s.context.selfContained}
      </footer>
    </section>
  );
}

function WorkloadTerms({ report: { workload } }: { report: Report }) {
  const { s, word } = useWords();
  if (workload === null) return null;
  const spread = ({ mean, min, max }: Spread): string | null =>
    mean === null && min === null && max === null ? null : s.context.spread(plain(mean), count(min), count(max));
  return (
    <>
      <h3>{s.context.workload}</h3>
      <Terms rows={[
        [s.context.dataset, workload.dataset === null ? null : word(workload.dataset)],
        [s.context.source, workload.source],
        [s.context.licence, workload.licence],
        [s.context.requests, workload.requests === null ? null
          : s.facts.perPlatform(count(workload.requests), workload.rounds === null ? null : count(workload.rounds))],
        [s.context.arrivals, workload.arrivals === null ? null : word(workload.arrivals)],
        [s.context.requestRate, workload.requestRate === null ? null : s.facts.rate(plain(workload.requestRate))],
        [s.context.concurrency, count(workload.maxConcurrency)],
        [s.context.inputTokens, spread(workload.inputTokens)],
        [s.context.outputTokens, spread(workload.outputTokens)],
        [s.context.seed, workload.seed === null ? null : String(workload.seed)],
      ]} />
    </>
  );
}

function SlaAndRates({ report: { slaTerms, slaTarget, fx } }: { report: Report }) {
  const { s } = useWords();
  return (
    <>
      {slaTerms.length > 0 && (
        <>
          <h3>{s.context.sla}</h3>
          <Terms rows={[
            [s.context.terms, slaTerms.map((term) => <code class="term">{term.text}</code>)],
            [s.context.target, slaTarget === null ? null : s.context.targetText(level(slaTarget))],
          ]} />
        </>
      )}
      {fx !== null && (
        <>
          <h3>{s.context.fx}</h3>
          <Terms rows={[
            ...fx.rates.map(([currency, rate]) => [currency, s.context.rate(fx.base ?? missing, String(rate), currency)] as const),
            [s.context.date, fx.date],
            [s.context.source, fx.source],
          ]} />
        </>
      )}
    </>
  );
}

function Notes({ report: { notes } }: { report: Report }) {
  const { s, pick } = useWords();
  if (notes.length === 0) return null;
  return <><h3>{s.context.notes}</h3><ul class="notes">{notes.map((note, index) => <li key={index}>{pick(note)}</li>)}</ul></>;
}

function Definitions({ report: { definitions } }: { report: Report }) {
  const { s, pick } = useWords();
  if (definitions.length === 0) return null;
  return (
    <>
      <h3>{s.context.definitions}</h3>
      <dl class="definitions">
        {definitions.map(({ name, text }, index) => <div key={index}><dt>{pick(name) ?? missing}</dt><dd>{pick(text) ?? missing}</dd></div>)}
      </dl>
    </>
  );
}
