import { useEffect, useState } from 'preact/hooks';
import { Bars } from './bars';
import { Cdf } from './cdf';
import { Context } from './context';
import type { Report } from './data';
import { Header, LanguageButton } from './header';
import { firstLanguage, type Language, remember, type Words, WordsContext, wordsOf } from './language';
import { Ranking } from './ranking';
import { inOrder, verdictOf } from './ranking_order';

export function App({ data }: { data: Report | null | 'unreadable' }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const words = wordsOf(language);

  useEffect(() => {
    document.documentElement.lang = words.s.htmlLang;
    document.title = titleOf(data, words);
  }, [language]);

  const toggle = (): void => {
    const next = language === 'en' ? 'zh' : 'en';
    remember(next);
    setLanguage(next);
  };

  return (
    <WordsContext.Provider value={words}>
      {data === null || data === 'unreadable'
        ? <Nothing unreadable={data === 'unreadable'} toggle={toggle} words={words} />
        : <Whole report={data} toggle={toggle} />}
    </WordsContext.Provider>
  );
}

function titleOf(data: Report | null | 'unreadable', { s }: Words): string {
  if (data === null || data === 'unreadable') return 'Steelyard';
  const verdict = verdictOf(data);
  const winner = verdict.kind === 'cheapest' || verdict.kind === 'only' ? verdict.winner.name : null;
  return s.pageTitle(data.suite ?? s.untitled, winner);
}

function Whole({ report, toggle }: { report: Report; toggle: () => void }) {
  const { ranked, infeasible } = inOrder(report.platforms);
  const platforms = [...ranked, ...infeasible];
  return (
    <>
      <Header report={report} toggle={toggle} />
      {platforms.length > 0 && (
        <>
          <Ranking ranked={ranked} infeasible={infeasible} target={report.slaTarget} />
          <Cdf platforms={platforms} report={report} />
          <Bars platforms={platforms} />
        </>
      )}
      <Context report={report} />
    </>
  );
}

function Nothing({ unreadable, toggle, words }: { unreadable: boolean; toggle: () => void; words: Words }) {
  const { s } = words;
  return (
    <header class="nothing">
      <LanguageButton toggle={toggle} />
      <h1>Steelyard</h1>
      <p class="verdict">{unreadable ? s.unreadable : s.emptyTemplate}</p>
      {!unreadable && <p>{s.emptyTemplateHint}</p>}
    </header>
  );
}
