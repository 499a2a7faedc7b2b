// The canvas of one latency's distribution: uPlot with the SLA drawn in. Colours come from the style
// sheet at every draw, so that the theme and print need no second palette.
import uPlot from 'uplot';
import type { Curve } from './data';
import { fixed, level, plain } from './format';
import { colourName, dash } from './series';
import { aligned, axisOf, type Axis, type Limit, ticksOf } from './step_curve';

export interface ChartData {
  curves: { curve: Curve; series: number; faint: boolean; name: string }[];
  limits: Limit[];
  axisTitle: (log: boolean) => string;
  onHover: (x: number | null) => void;
}

const style = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const font = (): string => `12px ${style('--sans')}`;
const heightFor = (width: number): number => Math.round(Math.min(400, Math.max(260, width * 0.5)));

/** Draws into `host` and follows its width; returns how to undo it. */
export function drawCdf(host: HTMLElement, data: ChartData): () => void {
  const { xs, shares } = aligned(data.curves.map(({ curve }) => curve));
  const axis = axisOf([...xs, ...data.limits.map(({ x }) => x)]);
  const width = (): number => Math.max(240, host.clientWidth);
  const chart = new uPlot(options(data, axis, width()), [xs, ...shares], host);

  const fit = (): void => chart.setSize({ width: width(), height: heightFor(width()) });
  const forPaper = (): void => chart.setSize({ width: 860, height: 400 });
  const redraw = (): void => chart.redraw(false, true);
  const observer = new ResizeObserver(() => {
    if (width() !== chart.width) fit();
  });
  observer.observe(host);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const print = matchMedia('print');
  const onPrint = (event: MediaQueryListEvent): void => (event.matches ? forPaper() : fit());
  const onKey = (event: KeyboardEvent): void => step(chart, event);
  dark.addEventListener('change', redraw);
  print.addEventListener('change', onPrint);
  addEventListener('beforeprint', forPaper);
  addEventListener('afterprint', fit);
  host.addEventListener('keydown', onKey);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', redraw);
    print.removeEventListener('change', onPrint);
    removeEventListener('beforeprint', forPaper);
    removeEventListener('afterprint', fit);
    host.removeEventListener('keydown', onKey);
    chart.destroy();
  };
}

/** The arrow keys move the reading line, as the pointer does. */
function step(chart: uPlot, event: KeyboardEvent): void {
  const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (direction === 0) return;
  event.preventDefault();
  const from = chart.cursor.left ?? -1;
  const left = from < 0 ? chart.over.clientWidth / 2 : from + direction * (event.shiftKey ? 20 : 4);
  chart.setCursor({ left: Math.min(Math.max(0, left), chart.over.clientWidth), top: 0 });
}

function options(data: ChartData, axis: Axis, width: number): uPlot.Options {
  const ticks = ticksOf(axis);
  const grid = { stroke: () => style('--rule'), width: 1 };
  const steps = uPlot.paths.stepped?.({ align: 1 });
  return {
    width,
    height: heightFor(width),
    padding: [14, 10, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
    scales: {
      x: { time: false, distr: axis.log ? 3 : 1, range: () => [axis.low, axis.high] },
      y: { range: () => [0, 1.02] },
    },
    axes: [
      {
        font: font(), labelFont: font(), label: data.axisTitle(axis.log), labelSize: 24, size: 30, stroke: () => style('--muted'),
        splits: () => thinned(ticks, axis, width), filter: (_, splits) => splits, values: (_, splits) => splits.map(tickText), grid, ticks: grid,
      },
      {
        font: font(), size: 40, stroke: () => style('--muted'), splits: () => [0, 0.2, 0.4, 0.6, 0.8, 1],
        values: (_, splits) => splits.map((share) => fixed(share * 100, 0)), grid, ticks: { show: false },
      },
    ],
    series: [
      {},
      ...data.curves.map(({ series, faint, name }): uPlot.Series => ({
        label: name, stroke: () => style(colourName(series)), width: faint ? 1.5 : 2, alpha: faint ? 0.8 : 1,
        dash: dash(series), points: { show: false }, ...(steps === undefined ? {} : { paths: steps }),
      })),
    ],
    hooks: {
      drawClear: [(chart) => data.limits.forEach((limit) => shade(chart, limit))],
      draw: [(chart) => data.limits.forEach((limit, index) => rule(chart, limit, index))],
      setCursor: [(chart) => {
        const left = chart.cursor.left ?? -1;
        data.onHover(left < 0 ? null : chart.posToVal(left, 'x'));
      }],
    },
  };
}

const tickText = (tick: number): string => (tick >= 1 ? fixed(tick, tick % 1 === 0 ? 0 : 1) : plain(tick));

/** On a narrow screen only the decades' ones keep their numbers. */
function thinned(ticks: number[], { log }: Axis, width: number): number[] {
  if (ticks.length * 46 < width) return ticks;
  return log ? ticks.filter((tick) => /^1/.test(tick.toExponential())) : ticks.filter((_, index) => index % 2 === 0);
}

/** The corner right of the threshold and below the share that is due there: no curve may enter it. */
function shade(chart: uPlot, { x, share }: Limit): void {
  if (share === null) return;
  const { ctx, bbox } = chart;
  const [left, top] = [chart.valToPos(x, 'x', true), chart.valToPos(share, 'y', true)];
  ctx.save();
  ctx.fillStyle = style('--forbidden');
  ctx.fillRect(left, top, bbox.left + bbox.width - left, bbox.top + bbox.height - top);
  ctx.restore();
}

function rule(chart: uPlot, { x, share, text }: Limit, index: number): void {
  const { ctx, bbox } = chart;
  const scale = uPlot.pxRatio;
  const width = Math.round(1.5 * scale);
  const onPixels = (at: number): number => Math.round(at) + (width % 2) / 2;
  const left = onPixels(chart.valToPos(x, 'x', true));
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = style('--limit');
  ctx.lineWidth = width;
  ctx.font = `${12 * scale}px ${style('--sans')}`;
  line(ctx, [left, bbox.top], [left, bottom]);
  const roomRight = right - left > ctx.measureText(text).width + 10 * scale;
  ctx.textAlign = roomRight ? 'left' : 'right';
  label(ctx, text, left + (roomRight ? 6 : -6) * scale, bottom - (9 + 16 * index) * scale);
  if (share !== null) {
    const top = onPixels(chart.valToPos(share, 'y', true));
    ctx.setLineDash([4 * scale, 3 * scale]);
    line(ctx, [bbox.left, top], [right, top]);
    ctx.textAlign = 'left';
    label(ctx, `${level(share)} %`, bbox.left + 5 * scale, top + 15 * scale);
  }
  ctx.restore();
}

function line(ctx: CanvasRenderingContext2D, from: [number, number], to: [number, number]): void {
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
}

/** A halo of paper keeps the words legible across a curve. */
function label(ctx: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  ctx.save();
  ctx.setLineDash([]);
  ctx.lineJoin = 'round';
  ctx.lineWidth = 4 * uPlot.pxRatio;
  ctx.strokeStyle = style('--paper');
  ctx.strokeText(text, x, y);
  ctx.restore();
  ctx.fillText(text, x, y);
}
