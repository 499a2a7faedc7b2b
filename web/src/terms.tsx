import type { ComponentChildren } from 'preact';
import { missing } from './format';

/** Terms and what is known of them; a term without a value is left out. */
export function Terms({ rows }: { rows: (readonly [term: string, value: ComponentChildren | null])[] }) {
  const known = rows.filter(([, value]) => value !== null && value !== missing);
  if (known.length === 0) return null;
  return <dl class="terms">{known.map(([term, value]) => <div key={term}><dt>{term}</dt><dd>{value}</dd></div>)}</dl>;
}
