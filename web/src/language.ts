// Which language the page speaks, and how it remembers.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Bilingual, Text } from './data';
import { en, type Strings } from './strings/en';
import { zh } from './strings/zh';

export type Language = 'en' | 'zh';
const storageKey = 'steelyard-language';

/** ?lang= or #lang= wins, then the last choice, then the browser's language. */
export function firstLanguage(): Language {
  const asked = /[?#&]lang=(en|zh)\b/.exec(location.search + location.hash)?.[1];
  const known = asked ?? remembered() ?? navigator.language.toLowerCase();
  return known.startsWith('zh') ? 'zh' : 'en';
}

// A page opened from file:// may be refused its storage.
function remembered(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

export function remember(language: Language): void {
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Then it is forgotten.
  }
}

export interface Words {
  language: Language;
  s: Strings;
  /** The sentence in this language, else in the other one. */
  pick: (sentence: Bilingual) => Text;
  /** A word of the data, translated where it is a known one. */
  word: (word: string) => string;
}

export function wordsOf(language: Language): Words {
  const s = language === 'zh' ? zh : en;
  return {
    language,
    s,
    pick: (sentence) => (language === 'zh' ? sentence.zh ?? sentence.en : sentence.en ?? sentence.zh),
    word: (word) => s.words.get(word) ?? word.replace(/_/g, ' '),
  };
}

export const WordsContext = createContext<Words>(wordsOf('en'));
export const useWords = (): Words => useContext(WordsContext);
