import { usePercent } from '../../parts/percent.ts';
import { inBar, type Line } from './figures.ts';

/** The shares of the statuses, without withdrawn enrolments, and the completion rate. */
export function Bar({ line }: { line: Line }) {
  const percent = usePercent();
  if (line.CompletionRate === null) return <>–</>;
  return (
    <div className="rate">
      <svg className="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden>
        {partsOf(line).map(({ figure, from, share }) => (
          <rect key={figure} className={figure} x={from} width={share} height={1} />
        ))}
      </svg>
      <span className="number">{percent(line.CompletionRate)}</span>
    </div>
  );
}

function partsOf(line: Line) {
  const sum = line.Enrolments - line.Withdrawn;
  let from = 0;
  return inBar.map(({ figure }) => {
    const share = (100 * line[figure]) / sum;
    from += share;
    return { figure, from: from - share, share };
  });
}
