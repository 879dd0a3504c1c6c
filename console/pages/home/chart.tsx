import { useElementSize } from '@mantine/hooks';
import { scaleLinear } from 'd3-scale';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { measures, type Point } from './spans.ts';
import { dateOfDay, usePointText } from './use-point-text.ts';

const height = 240;
const margin = { top: 12, end: 12, bottom: 26, start: 40 };

type Props = { points: readonly Point[]; label: string };

/** A chart with one line for each measure. Arrow keys work as in a slider. Screen readers read each day's numbers. */
export default function Chart({ points, label }: Props) {
  const t = useTranslations('home');
  const { ref, width } = useElementSize();
  const [active, setActive] = useState<number | null>(null);
  const textOf = usePointText();
  const last = points.length - 1;
  const shown = points[active ?? last];
  const x = scaleLinear(
    [0, Math.max(1, last)],
    [margin.start, Math.max(margin.start + 1, width - margin.end)],
  );
  const peak = Math.max(...points.flatMap((point) => measures.map((measure) => point[measure])));
  const y = scaleLinear([0, Math.max(4, peak)], [height - margin.bottom, margin.top]).nice(4);

  const point = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const at = Math.round(x.invert(event.clientX - left));
    setActive(Math.min(last, Math.max(0, at)));
  };
  const press = (event: KeyboardEvent) => {
    const at = active ?? last;
    const to = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageDown: at - 7,
      PageUp: at + 7,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setActive(Math.min(last, Math.max(0, to)));
  };
  return (
    <div ref={ref}>
      <div
        className="chart"
        dir="ltr"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={active ?? last}
        aria-valuetext={shown && textOf(shown)}
        aria-roledescription={t('chart')}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setActive(null)}
        onFocus={() => setActive((at) => at ?? last)}
        onBlur={() => setActive(null)}
        onKeyDown={press}
      >
        <svg height={height} width={width} aria-hidden>
          <Grid y={y} width={width} />
          <Days points={points} x={x} width={width} />
          {measures.map((measure) => (
            <path
              key={measure}
              className={`line ${measure.toLowerCase()}`}
              d={points.map((point, at) => `${at === 0 ? 'M' : 'L'}${x(at)},${y(point[measure])}`).join('')}
            />
          ))}
          {active !== null && shown && (
            <g>
              <line
                className="pointer"
                x1={x(active)}
                x2={x(active)}
                y1={margin.top}
                y2={height - margin.bottom}
              />
              {measures.map((measure) => (
                <circle
                  key={measure}
                  className={`dot ${measure.toLowerCase()}`}
                  cx={x(active)}
                  cy={y(shown[measure])}
                  r={4}
                />
              ))}
            </g>
          )}
        </svg>
      </div>
      <p className="readout" aria-hidden>
        {active === null || !shown ? t('chartHint') : textOf(shown)}
      </p>
    </div>
  );
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

function Grid({ y, width }: { y: Scale; width: number }) {
  const format = useFormatter();
  return (
    <g aria-hidden>
      {y
        .ticks(4)
        .filter(Number.isInteger)
        .map((value) => (
          <g key={value}>
            <line className="grid" x1={margin.start} x2={width - margin.end} y1={y(value)} y2={y(value)} />
            <text x={margin.start - 8} y={y(value)} textAnchor="end" dominantBaseline="middle">
              {format.number(value, { notation: 'compact' })}
            </text>
          </g>
        ))}
    </g>
  );
}

/** As many day labels as fit, always including the last one. */
function Days({ points, x, width }: { points: readonly Point[]; x: Scale; width: number }) {
  const format = useFormatter();
  const last = points.length - 1;
  const step = Math.max(1, Math.ceil(points.length / Math.max(2, Math.floor(width / 110))));
  return (
    <g aria-hidden>
      {points.map(
        ({ Day }, at) =>
          (last - at) % step === 0 && (
            <text
              key={Day}
              x={x(at)}
              y={height - 8}
              textAnchor={at === last ? 'end' : x(at) < margin.start + 20 ? 'start' : 'middle'}
            >
              {format.dateTime(dateOfDay(Day), { day: 'numeric', month: 'short', timeZone: 'UTC' })}
            </text>
          ),
      )}
    </g>
  );
}
