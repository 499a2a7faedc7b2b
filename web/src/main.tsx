// The page: the ranking lies as JSON in its own element of this file.
import { render } from 'preact';
import './style/base.css';
import './style/header.css';
import './style/ranking.css';
import './style/details.css';
import 'uplot/dist/uPlot.min.css';
import './style/charts.css';
import './style/context.css';
import './style/print.css';
import { App } from './app';
import type { Report } from './data';
import { readReport } from './read';

function embedded(): Report | null | 'unreadable' {
  try {
    return readReport(JSON.parse(document.getElementById('steelyard-data')?.textContent ?? 'null'));
  } catch {
    return 'unreadable';
  }
}

const page = document.getElementById('page');
if (page !== null) {
  page.replaceChildren();
  render(<App data={embedded()} />, page);
}
