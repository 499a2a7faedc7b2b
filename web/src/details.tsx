// What stands behind one row: all percentiles with their intervals, the offer, the cost, the failures.
import type { ComponentChildren } from 'preact';
import { Range, TooFew } from './columns';
import { type Distribution, metrics, percentiles, type Platform, type Value } from './data';
import { count, decimalsFor, fixed, interval, missing, percent, plain, printedUnit, scientific } from './format';
import { useWords } from './language';
import { Terms } from './terms';

export function Details({ platform, target }: { platform: Platform; target: Value }) {
  return (
    <div class="detail">
      <Latency platform={platform} />
      <div class="cards">
        <OfferAndCost platform={platform} />
        <Load platform={platform} />
        <Trust platform={platform} target={target} />
      </div>
    </div>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return <div class="card"><h3>{title}</h3>{children}</div>;
}

function Latency({ platform }: { platform: Platform }) {
  const { s } = useWords();
  const heads = [s.ranking.n, s.details.nEffective, s.details.min, 'P50', 'P90', 'P99', s.details.max, s.details.mean, s.details.std];
  return (
    <div class="inner-scroll">
      <table class="latency">
        <caption>{s.details.latency} <small>{s.details.nEffectiveNote}</small></caption>
        <thead><tr><td />{heads.map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
        <tbody>
          {metrics.map((metric) => (
            <tr key={metric}>
              <th scope="row">{s.metrics[metric]} <small>{s.metricNames[metric]}</small></th>
              <LatencyCells of={platform.latency[metric]} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LatencyCells({ of }: { of: Distribution }) {
  const decimals = decimalsFor([of.p50.value], 2);
  const format = (value: Value): string => fixed(value, decimals);
  const cell = (value: Value) => <td>{format(value)}</td>;
  return (
    <>
      <td>{count(of.n)}</td>
      <td>{count(of.nEffective)}</td>
      {cell(of.min)}
      {percentiles.map((percentile) => (
        <td key={percentile}>{format(of[percentile].value)}<TooFew estimate={of[percentile]} /><Range text={interval(of[percentile], format)} /></td>
      ))}
      {cell(of.max)}
      {cell(of.mean)}
      {cell(of.std)}
    </>
  );
}

function OfferAndCost({ platform }: { platform: Platform }) {
  const { s, pick, word } = useWords();
  const { offer, costLines, costTotal } = platform;
  const decimals = decimalsFor([...costLines.map((line) => line.amount), costTotal.amount], 6);
  const unit = costTotal.currency;
  return (
    <Card title={s.details.offer}>
      {offer === null ? <p>{s.details.noPrice}</p> : (
        <Terms rows={[
          [s.details.price, offer.text],
          [s.details.scheme, offer.scheme === null ? null : word(offer.scheme)],
          [s.details.count, offer.count === null ? null : count(offer.count)],
          [s.details.source, offer.source === null ? null : <Source of={offer.source} />],
          [s.details.date, offer.date],
          [s.details.note, offer.note],
        ]} />
      )}
      {(costLines.length > 0 || costTotal.amount !== null) && (
        <table class="lines">
          <caption>{s.details.cost}{unit !== null && `, ${unit}`}</caption>
          <tbody>
            {costLines.map((line, index) => (
              <tr key={index}>
                <th scope="row">{pick(line.name) ?? missing}</th>
                <td class="quantity">{line.quantity !== null && <>{plain(line.quantity)}{line.unit !== null && ` ${word(line.unit)}`}</>}</td>
                <td>{fixed(line.amount, decimals)}</td>
              </tr>
            ))}
            <tr class="total"><th scope="row">{s.details.total}</th><td /><td>{fixed(costTotal.amount, decimals)}</td></tr>
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** Only web addresses become links: the data is somebody else's. */
function Source({ of }: { of: string }) {
  return /^https?:\/\//i.test(of) ? <a href={of} rel="noreferrer noopener" target="_blank">{of.replace(/^https?:\/\//i, '')}</a> : <>{of}</>;
}

function Load({ platform }: { platform: Platform }) {
  const { s, word } = useWords();
  const { n, completed, outputThroughput, requestThroughput, windowSeconds, failures } = platform;
  const range = interval(outputThroughput, plain);
  const unit = (value: Value, name: string) => (value === null ? null : `${plain(value)} ${name}`);
  return (
    <Card title={s.details.load}>
      <Terms rows={[
        [s.details.completed, completed === null ? null : s.details.of(count(completed), count(n))],
        [s.details.window, unit(windowSeconds, 's')],
        [s.details.outputThroughput, outputThroughput.value === null ? null
          : <>{unit(outputThroughput.value, s.ranking.tokensPerSecond)}<Range text={range} /></>],
        [s.details.requestThroughput, unit(requestThroughput, '/s')],
        [s.details.inputTokens, count(platform.inputTokens)],
        [s.details.outputTokens, count(platform.outputTokens)],
        [s.details.goodTokens, count(platform.goodOutputTokens)],
        [s.details.tokenSource, platform.tokenSource === null ? null : word(platform.tokenSource)],
      ]} />
      <h4>{s.details.failures}</h4>
      {failures.length === 0 ? <p>{platform.failed === null ? missing : s.details.noFailures}</p> : (
        <ul class="failures">
          {failures.map((failure, index) => (
            <li key={index}>
              <span class="bad">{count(failure.count)} × {failure.kind === null ? missing : word(failure.kind)}</span>
              {failure.example !== null && <code>{failure.example}</code>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Trust({ platform, target }: { platform: Platform; target: Value }) {
  const { s, pick, word } = useWords();
  const { certificate, publishedIndex: index, attainmentRequests, attainmentTokens } = platform;
  const share = (value: Value): string => `${percent(value, target)} %`;
  const range = interval(attainmentRequests, (value) => percent(value, target));
  return (
    <Card title={s.details.reasons}>
      <Sentences of={platform.reasons.map(pick)} />
      <Terms rows={[
        [s.ranking.byRequest, attainmentRequests.value === null ? null : <>{share(attainmentRequests.value)}<Range text={range} /></>],
        [s.ranking.byToken, attainmentTokens === null ? null : share(attainmentTokens)],
      ]} />
      {certificate.verdict !== null && (
        <>
          <h4>{s.details.certificate}</h4>
          <p class={certificate.verdict === 'valid' ? 'good' : 'bad'}>{word(certificate.verdict)}</p>
          <Sentences of={certificate.reasons.map(pick)} />
        </>
      )}
      {index.value !== null && (
        <>
          <h4>{s.details.index}</h4>
          <p>{index.name !== null && <code>{index.name}</code>} {scientific(index.value)} {index.unit !== null && printedUnit(index.unit)}</p>
          <p class="note">{pick(index.note) ?? s.ranking.publishedNote}</p>
        </>
      )}
    </Card>
  );
}

function Sentences({ of }: { of: (string | null)[] }) {
  const known = of.filter((sentence) => sentence !== null);
  return known.length === 0 ? null : <ul class="sentences">{known.map((sentence, index) => <li key={index}>{sentence}</li>)}</ul>;
}
