// A platform's colour and dash, the same in the table, the curves and the bars.
// Six colours, chosen to stay apart in every kind of colour vision (tests/page/palette.mjs); from the seventh
// on they repeat, dashed.
export const colours = 6;

export const colourName = (index: number): string => `--series-${index % colours}`;
export const colour = (index: number): string => `var(${colourName(index)})`;
export const dash = (index: number): number[] => (index < colours ? [] : [6, 3]);

export function Swatch({ index }: { index: number }) {
  return (
    <svg class="swatch" viewBox="0 0 16 8" aria-hidden="true">
      <line x1="0" x2="16" y1="4" y2="4" style={{ stroke: colour(index) }} stroke-dasharray={index < colours ? undefined : '5 3'} />
    </svg>
  );
}
