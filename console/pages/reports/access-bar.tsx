import { useFormatter } from 'use-intl';
import { type AccessLine, partsOf } from './access-figures.ts';

/** The number of uncompleted enrolments, and which shares of them are overdue or end soon. */
export function AccessBar({ line }: { line: AccessLine }) {
  const format = useFormatter();
  return (
    <div className="rate">
      <svg className="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden>
        {partsOf(line).map(({ measure, from, share }) => (
          <rect key={measure} className={measure} x={from} width={share} height={1} />
        ))}
      </svg>
      <span className="number">{format.number(line.Overdue + line.Open)}</span>
    </div>
  );
}
