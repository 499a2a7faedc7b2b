// The first screen: what was compared, the verdict in one sentence, when, where and how it was measured.
import type { ComponentChildren } from 'preact';
import type { Platform, Report, Value } from './data';
import { count, decimalsFor, fixed, interval, level, minute, percent, plain, secondsBetween } from './format';
import { useWords, type Words } from './language';
import { inOrder, type Verdict, verdictOf } from './ranking_order';
import type { Rich } from './rich';

const mostNamed = 4;  // of platforms that cannot be told apart

export function Header({ report, toggle }: { report: Report; toggle: () => void }) {
  const words = useWords();
  const { s } = words;
  const emulated = report.platforms.filter((platform) => platform.emulated).length;
  return (
    <header>
      <div class="masthead">
        <Beam />
        <span class="brand">Steelyard</span>
        <span class="tagline">{s.report}</span>
        <LanguageButton toggle={toggle} />
      </div>
      <h1>{report.suite ?? s.untitled}</h1>
      <p class="verdict" id="verdict"><RichText text={verdictText(verdictOf(report), words)} /></p>
      {report.interrupted && <p class="caution"><RichText text={s.verdict.interrupted} /></p>}
      {emulated > 0 && (
        <p class="caution"><RichText text={s.verdict.emulated(emulated, report.platforms.length)} /></p>
      )}
      <Facts report={report} />
    </header>
  );
}

export function LanguageButton({ toggle }: { toggle: () => void }) {
  const { s, language } = useWords();
  return (
    <button type="button" class="language" id="language" lang={language === 'en' ? 'zh-CN' : 'en'}
      aria-label={s.switchLanguage} title={s.switchLanguage} onClick={toggle}>
      {s.otherLanguage}
    </button>
  );
}

/** A steelyard: the unequal-armed balance. The load hangs near the pivot, the poise far out. */
function Beam() {
  return (
    <svg class="beam" viewBox="0 0 64 30" aria-hidden="true">
      <path d="M2 9.5 62 6.5M17 1v8M8 9.5v8M48 7.5v6" />
      <path d="M2.5 17.5h11a5.5 5.5 0 0 1-11 0Z" class="solid" />
      <circle cx="48" cy="17" r="3.6" class="solid" />
      <path d="M26 8.3v2M31 8v2M36 7.8v2M41 7.5v2M54 7v2M59 6.6v2" class="ticks" />
    </svg>
  );
}

export function RichText({ text }: { text: Rich }) {
  return <>{text.map((part) => (typeof part === 'string' ? part : <strong>{part.strong}</strong>))}</>;
}

function verdictText(verdict: Verdict, { s }: Words): Rich {
  const price = (platform: Platform): string => priceOf(platform, verdictPlatforms(verdict));
  switch (verdict.kind) {
    case 'empty': return s.verdict.empty;
    case 'none': return s.verdict.none;
    case 'unpriced': return s.verdict.unpriced(count(verdict.feasible));
    case 'only': return s.verdict.only(verdict.winner.name, price(verdict.winner));
    case 'tied': {
      const tied = [verdict.winner, ...verdict.tied];
      const named = tied.length > mostNamed + 1 ? tied.slice(0, mostNamed) : tied;
      const more = tied.length - named.length;
      return [
        ...s.verdict.tied(
          [...named.map((platform) => platform.name), ...(more > 0 ? [s.verdict.more(count(more))] : [])],
          [...named.map(price), ...(more > 0 ? ['…'] : [])]),
        ...(verdict.next === null ? [] : s.verdict.tiedNext(verdict.next.name, price(verdict.next))),
      ];
    }
    case 'cheapest': {
      const { winner, next, cheaperBy } = verdict;
      const share = cheaperBy === null ? null
        : cheaperBy < 0.1 || cheaperBy > 0.99 ? percent(cheaperBy) : fixed(cheaperBy * 100, 0);
      const sentence = s.verdict.cheapest(winner.name, price(winner), share, next.name, price(next));
      return verdict.certain ? sentence : [...sentence, ...s.verdict.uncertain];
    }
  }
}

function verdictPlatforms(verdict: Verdict): Platform[] {
  if (verdict.kind === 'only') return [verdict.winner];
  if (verdict.kind === 'cheapest') return [verdict.winner, verdict.next];
  if (verdict.kind === 'tied') return [verdict.winner, ...verdict.tied];
  return [];
}

/** "0.512 [0.490, 0.540] USD", with the decimals that all the sentence's prices share. */
function priceOf(platform: Platform, all: readonly Platform[]): string {
  const decimals = decimalsFor(all.map((one) => one.cptls.value), 4);
  const format = (value: Value): string => fixed(value, decimals);
  const range = interval(platform.cptls, format);
  return [format(platform.cptls.value), range, platform.cptls.currency].filter((part) => part !== null).join(' ').replace(/ /g, '\u00a0');
}

function Facts({ report }: { report: Report }) {
  const { s, word } = useWords();
  const { ranked } = inOrder(report.platforms);
  const { workload } = report;
  const seconds = report.startedAt !== null && report.endedAt !== null
    ? secondsBetween(report.startedAt, report.endedAt) : null;
  return (
    <dl class="facts">
      {report.startedAt !== null && (
        <Fact term={s.facts.measured}>
          <time dateTime={report.startedAt}>{minute(report.startedAt)}</time> {s.facts.utc}
          {seconds !== null && <small>{s.duration(Math.floor(seconds / 60), Math.round(seconds % 60))}</small>}
        </Fact>
      )}
      {report.vantage !== null && (
        <Fact term={s.facts.from}>{report.vantage}{report.runId !== null && <small>{s.facts.run} {report.runId}</small>}</Fact>
      )}
      {workload !== null && (
        <Fact term={s.facts.workload}>
          {workload.requests === null ? workload.dataset : s.facts.perPlatform(
            count(workload.requests), workload.rounds === null || workload.rounds === 1 ? null : count(workload.rounds))}
          <small>{[
            workload.arrivals === null ? null : word(workload.arrivals),
            workload.requestRate === null ? null : s.facts.rate(plain(workload.requestRate)),
            workload.maxConcurrency === null ? null : s.facts.inFlight(count(workload.maxConcurrency)),
          ].filter((part) => part !== null).join(s.semicolon)}</small>
        </Fact>
      )}
      {report.slaTerms.length > 0 && (
        <Fact term={s.facts.sla}>
          {report.slaTerms.map((term) => <code class="term">{term.text}</code>)}
          {report.slaTarget !== null && <small>{s.facts.target(level(report.slaTarget))}</small>}
        </Fact>
      )}
      {report.platforms.length > 0 && (
        <Fact term={s.facts.meets}>{s.verdict.feasible(ranked.length, report.platforms.length)}</Fact>
      )}
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return <div><dt>{term}</dt><dd>{children}</dd></div>;
}
