import { useFormatter, useTranslations } from 'use-intl';
import { usePercent } from '../../parts/percent.ts';
import type { Entry } from './entry.ts';
import { useResultText } from './result.tsx';
import { type Enrolment, useTimeSpent } from './values.tsx';

type Data = Entry['Data'];

const textIn = (data: Data, name: string) => (typeof data[name] === 'string' ? data[name] : null);
const numberIn = (data: Data, name: string) => (typeof data[name] === 'number' ? data[name] : null);
const isOf = <Value extends string>(values: readonly Value[], text: string | null): text is Value =>
  values.some((value) => value === text);

const shownValues = {
  Completion: ['incomplete', 'completed'],
  Success: ['passed', 'failed'],
} as const satisfies { [Name in 'Completion' | 'Success']: readonly Enrolment[Name][] };

/** The learner's result, as far as the data shows it. */
function useResults() {
  const t = useTranslations('enrolments');
  const text = useResultText();
  const percent = usePercent();
  const time = useTimeSpent();
  return (data: Data): string[] => {
    const [Completion, Success] = [textIn(data, 'Completion'), textIn(data, 'Success')];
    const [Score, Progress] = [numberIn(data, 'Score'), numberIn(data, 'Progress')];
    const seconds = numberIn(data, 'TotalSeconds');
    return [
      ...(isOf(shownValues.Completion, Completion) ? [text('Completion', Completion)] : []),
      ...(isOf(shownValues.Success, Success) ? [text('Success', Success)] : []),
      ...(Score === null ? [] : [t('timeline.score', { value: percent(Score) })]),
      ...(Progress === null ? [] : [t('timeline.progress', { value: percent(Progress) })]),
      ...(seconds === null ? [] : [t('timeline.time', { value: time(seconds) })]),
    ];
  };
}

/** Why a commit or report of a course does not count. */
export function useRefusalText(): (code: string) => string {
  const t = useTranslations('enrolments.timeline.refusals');
  return (code) => (t.has(code as 'other') ? t(code as 'other') : t('other', { code }));
}

/** A timeline entry in words. */
export function useSentence(entry: Entry): { sentence: string; more: string } {
  const t = useTranslations('enrolments');
  const outcomes = useTranslations('outcomes');
  const events = useTranslations('events.types');
  const format = useFormatter();
  const results = useResults();
  const refusalText = useRefusalText();
  const { Kind, Type, Data } = entry;
  const at = (name: string) => {
    const text = textIn(Data, name);
    return text === null
      ? null
      : format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'short' });
  };
  if (Kind === 'launch') {
    const [ended, back] = [at('EndedAt'), textIn(Data, 'ReturnURL')];
    const details = [
      ...(ended ? [t('timeline.ended', { at: ended })] : []),
      ...(back ? [t('timeline.returns', { address: back })] : []),
    ];
    return { sentence: t('timeline.launch', { number: entry.Launch ?? 0 }), more: details.join(' · ') };
  }
  if (Kind === 'unit') {
    const ended = at('EndedAt');
    const [mode, unit] = [textIn(Data, 'LaunchMode'), entry.UnitID ?? ''];
    const details = [
      ...(mode === 'Waived' || mode === null ? [] : [mode]),
      ...(Array.isArray(Data.Verbs) ? Data.Verbs.filter((verb) => typeof verb === 'string') : []),
      ...(ended ? [t('timeline.ended', { at: ended })] : []),
    ];
    return {
      sentence: t(mode === 'Waived' ? 'timeline.waived' : 'timeline.unit', { unit }),
      more: details.join(' · '),
    };
  }
  if (Kind === 'commit') {
    const numbers = { number: entry.Commit ?? 0, launch: entry.Launch ?? 0 };
    if (entry.Refused === null)
      return { sentence: t('timeline.commit', numbers), more: results(Data).join(' · ') };
    const reason = refusalText(entry.Refused);
    if (entry.Commit !== null)
      return { sentence: t('timeline.refused', numbers), more: [reason, ...results(Data)].join(' · ') };
    const verbs = Array.isArray(Data.Verbs) ? Data.Verbs.filter((verb) => typeof verb === 'string') : [];
    return {
      sentence: t('timeline.refusedReport', { unit: entry.UnitID ?? '' }),
      more: [reason, ...verbs, textIn(Data, 'Call') ?? ''].join(' · '),
    };
  }
  const name = Type as 'enrolment.created';
  const changed = Array.isArray(Data.Changed) ? Data.Changed.filter((one) => typeof one === 'string') : [];
  const outcome = textIn(Data, 'Outcome');
  const [platform, why] = [textIn(Data, 'Platform'), textIn(Data, 'Detail')];
  const [option, ends, reference] = [textIn(Data, 'DurationID'), at('ExpiresAt'), textIn(Data, 'Reference')];
  const isOutcome = outcome !== null && outcomes.has(outcome as 'passed');
  const details = [
    ...(changed.length > 0 ? [t('timeline.changed', { fields: changed.join(', ') })] : []),
    ...(isOutcome ? [t('timeline.outcome', { outcome: outcomes(outcome as 'passed') })] : []),
    ...(option ? [t('timeline.option', { option })] : []),
    ...(ends ? [t('timeline.ends', { at: ends })] : []),
    ...(reference ? [t('timeline.reference', { reference })] : []),
    ...results(Data),
    ...(platform ? [platform] : []),
    ...(why ? [why] : []),
  ];
  return { sentence: events.has(name) ? events(name) : (Type ?? ''), more: details.join(' · ') };
}
