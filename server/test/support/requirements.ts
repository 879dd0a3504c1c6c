import type { Rule } from '../../src/domain/requirements/schemas.ts';

/** Pseudo-random numbers, so that a failure can be repeated with its seed. */
export function randomOf(seed: number) {
  let state = seed * 2654435761 + 1;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) | 0;
    return (state >>> 8) / 2 ** 24;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, pick: <T>(some: readonly T[]) => some[below(some.length)] as T };
}

const zones = [
  ...['UTC', 'Europe/Berlin', 'America/Havana', 'Atlantic/Azores', 'Africa/Cairo', 'Asia/Kolkata'],
  ...['Pacific/Apia', 'America/Santiago', 'Australia/Lord_Howe'],
];
const dayMs = 86_400_000;

// The model: days are whole numbers since 1970, computed with the UTC calendar, and zones are asked from Intl only.

const formats = new Map<string, Intl.DateTimeFormat>();
export function localDay(at: number, zone: string): number {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, ...parts });
  formats.set(zone, format);
  return Date.parse(`${format.format(at)}T00:00:00Z`) / dayMs;
}

const boundaries = new Map<string, number>();
/** The first instant of a local day, found by halving. */
function startOfDay(day: number, zone: string): number {
  const key = `${zone} ${day}`;
  const known = boundaries.get(key);
  if (known !== undefined) return known;
  let [low, high] = [(day - 2) * dayMs, (day + 2) * dayMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (localDay(middle, zone) >= day) high = middle;
    else low = middle;
  }
  boundaries.set(key, high);
  return high;
}
export const endOfDay = (day: number, zone: string) => startOfDay(day + 1, zone) - 1000;

function addMonths(day: number, months: number): number {
  const at = new Date(day * dayMs);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
  const next = new Date(first);
  const length = (Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 1) - first) / dayMs;
  return first / dayMs + Math.min(at.getUTCDate(), length) - 1;
}

function later(day: number, period: string, times: number): number {
  const count = Number(period.slice(1, -1)) * times;
  if (period.endsWith('Y')) return addMonths(day, 12 * count);
  if (period.endsWith('M')) return addMonths(day, count);
  return day + count * (period.endsWith('W') ? 7 : 1);
}

/** Every day on which a cycle ends. */
function cycleEnds(on: string): number[] {
  const [month = 1, date = 1] = on.split('-').map(Number);
  const ends = [];
  for (let year = 2010; year < 2060; year++) {
    const first = Date.UTC(year, month - 1, 1) / dayMs;
    const length = Date.UTC(year, month, 1) / dayMs - first;
    ends.push(first + Math.min(date, length) - 1);
  }
  return ends;
}

type Term = {
  from: number;
  due: number;
  met: number | null;
  start: number;
  times: number;
  end: number | null;
  left: boolean;
  exempt: { since: number; until: number } | null;
};
/** `until`: the last second of an exemption. */
export type Happening = { at: number; what: 'join' | 'leave' | 'complete' | 'exempt'; until?: number };
export type Expected = { status: string; due: number; end: number | null };

/** `certificate` is the period for which certificates are valid, which decides if the requirement has no term. */
type Terms = Rule & { certificate: string | null };

function window(rule: Terms, start: number, end: number): number {
  const usual = end - (rule.ExpiringDays < end - start ? rule.ExpiringDays : Math.floor((end - start) / 2));
  if (!rule.Window) return usual;
  const wanted = later(end, rule.Window, -1);
  return !rule.ValidFor && !rule.Cycle && wanted <= start ? usual : wanted;
}

/** When the certificate for a result at this time ends. */
export const certifiedUntil = (certificate: string | null, at: number, zone: string): Date | null =>
  certificate === null ? null : new Date(endOfDay(later(localDay(at, zone), certificate, 1), zone));

function endOf(rule: Terms, start: number, times: number): number | null {
  if (rule.ValidFor) return later(start, rule.ValidFor, times);
  if (!rule.Cycle) return rule.certificate === null ? null : later(start, rule.certificate, 1);
  const ends = cycleEnds(rule.Cycle.On);
  const at = ends.findIndex((end) => end >= start);
  const counts = start >= window(rule, ends[at - 1] ?? 0, ends[at] ?? 0) ? at + 1 : at;
  return ends[counts + (rule.Cycle.Years ?? 1) - 1] ?? null;
}

/** Replays what has happened to one person, and says what holds now. */
export function model(
  { rule: own, certificate, zone }: Pick<Case, 'rule' | 'certificate' | 'zone'>,
  happenings: readonly Happening[],
  now: number,
): Expected[] {
  const rule = { ...own, certificate };
  const closed: Expected[] = [];
  let present: Term | null = null;
  let isMember = false;
  let firstJoined: number | null = null;
  const done: number[] = [];
  const day = (at: number) => localDay(at, zone);
  const shut = (term: Term) => closed.push({ status: 'closed', due: term.due, end: term.end });
  const opens = ({ met, end }: Term) =>
    met === null || end === null ? Number.POSITIVE_INFINITY : startOfDay(window(rule, day(met), end), zone);
  const isOver = ({ end }: Term, at: number) => end !== null && endOfDay(end, zone) < at;
  const complete = (at: number) => {
    if (!present || present.exempt) return;
    if (present.met === null) {
      if (at < present.from) return;
      present = { ...present, met: at, start: day(at), times: 1, end: endOf(rule, day(at), 1) };
    } else if (at >= opens(present) && at > present.met) {
      const inTime = rule.CountsFrom === 'expiry' && rule.ValidFor && !isOver(present, at);
      const [start, times] = inTime ? [present.start, present.times + 1] : [day(at), 1];
      const due = present.end as number;
      shut(present);
      const end = endOf(rule, start, times);
      present = { from: 0, due, met: at, start, times, end, left: false, exempt: null };
    }
  };
  /** What was completed meanwhile counts once the exemption is over. */
  const endExemption = (at: number) => {
    if (!present?.exempt || present.exempt.until >= at) return;
    const { since } = present.exempt;
    present = { ...present, exempt: null };
    for (const one of done) if (one > since) complete(one);
  };
  for (const { at, what, until = at } of happenings) {
    endExemption(at);
    if (what === 'complete') {
      done.push(at);
      if (isMember) complete(at);
    } else if (what === 'exempt') {
      if (!isMember || !present) continue;
      if (!present.exempt && opens(present) <= at) {
        const from = opens(present);
        shut(present);
        const due = present.end as number;
        present = { from, due, met: null, start: 0, times: 1, end: null, left: false, exempt: null };
      }
      present.exempt = { since: present.exempt?.since ?? at, until };
    } else if (what === 'leave' && isMember) {
      isMember = false;
      if (!present) continue;
      const isExempt = present.exempt !== null;
      if (!isExempt && opens(present) <= at)
        closed.push({ status: 'closed', due: present.end as number, end: null });
      if (isExempt || present.met === null || isOver(present, at)) {
        shut(present);
        present = null;
      } else present.left = true;
    } else if (what === 'join' && !isMember) {
      isMember = true;
      firstJoined ??= at;
      if (present && isOver(present, at)) {
        shut(present);
        present = null;
      }
      if (present) {
        const since = present.met as number;
        present.left = false;
        for (const one of done) if (one > since) complete(one);
        continue;
      }
      const due = rule.DueAfter
        ? later(day(at), rule.DueAfter, 1)
        : Date.parse(`${rule.DueOn}T00:00:00Z`) / dayMs;
      const earlier = rule.CountsEarlier;
      const from =
        typeof earlier === 'string'
          ? startOfDay(Date.parse(`${earlier}T00:00:00Z`) / dayMs, zone)
          : earlier
            ? 0
            : firstJoined;
      present = { from, due, met: null, start: 0, times: 1, end: null, left: false, exempt: null };
      const valid = done.filter((one) => {
        const end = endOf(rule, day(one), 1);
        return one >= from && (end === null || endOfDay(end, zone) >= at);
      });
      if (valid.length > 0) complete(valid.at(-1) as number);
    }
  }
  const open: Expected[] = [];
  const ofDue = (due: number) => {
    if (endOfDay(due, zone) < now) return 'overdue';
    return startOfDay(due - rule.DueSoonDays, zone) <= now ? 'due_soon' : 'not_due';
  };
  endExemption(now);
  if (present) {
    const { due, met, end, left, exempt } = present;
    if (exempt) open.push({ status: 'exempt', due, end });
    else if (met === null) open.push({ status: ofDue(due), due, end });
    else if (left && isOver(present, now)) shut(present);
    else {
      const expiring = end !== null && startOfDay(end - rule.ExpiringDays, zone) <= now;
      open.push({ status: isOver(present, now) ? 'expired' : expiring ? 'expiring' : 'met', due, end });
      if (!left && opens(present) <= now)
        open.push({ status: ofDue(end as number), due: end as number, end: null });
    }
  }
  return [...closed, ...open];
}

export type Case = {
  rule: Rule;
  certificate: string | null;
  zone: string;
  happenings: Happening[];
  looks: number[];
};

/** Ten years of one person, from a seed. */
export function caseOf(seed: number): Case {
  const { below, pick } = randomOf(seed);
  const start = Date.UTC(2020 + below(8), below(12), 1 + below(31), below(24), below(60));
  const kind = below(3);
  const rule = {
    ...{ Title: 'x', CourseIDs: ['x'], Audience: {}, DurationID: null, Status: 'active' },
    DueAfter: kind === 0 ? null : pick(['P1M', 'P14D', 'P6W', 'P1Y']),
    DueOn: kind === 0 ? '2029-02-28' : null,
    ValidFor: pick([null, 'P1Y', 'P1M', 'P2Y', 'P90D', 'P13W', 'P1Y']),
    Window: pick([null, 'P20D', 'P2W']),
    CountsFrom: pick(['completion', 'expiry']),
    CountsEarlier: pick([true, false, '2023-02-28']),
    ...{ DueSoonDays: pick([14, 0, 30]), ExpiringDays: pick([30, 0, 60]), Cycle: null },
  } as Rule;
  if (rule.ValidFor === null) {
    rule.Cycle = pick([null, { On: '12-31' }, { On: '02-29', Years: 1 }, { On: '06-30', Years: 2 }]);
    rule.CountsFrom = 'completion';
    if (rule.Cycle === null) rule.Window = null;
  }
  const times = Array.from({ length: 5 + below(30) }, () => start + below(3650 * 24 * 60) * 60_000);
  const zone = pick(zones);
  const kinds = ['join', 'join', 'leave', 'complete', 'complete', 'complete', 'exempt'] as const;
  const happenings = [...new Set(times)]
    .sort((a, b) => a - b)
    .map((at): Happening => {
      const what = pick(kinds);
      return what === 'exempt'
        ? { at, what, until: endOfDay(localDay(at, zone) + below(300), zone) }
        : { at, what };
    });
  const looks = Array.from({ length: 60 }, () => start + below(3650 * 24 * 60) * 60_000);
  if (below(4) > 0) return { rule, certificate: null, zone, happenings, looks };
  const certificate = pick(['P1Y', 'P6M', 'P13W', 'P2W', 'P2Y']);
  const own = { ...rule, ValidFor: null, Cycle: null, Window: pick([null, 'P20D', 'P2W']) };
  return { rule: own, certificate, zone, happenings, looks };
}
