import type { DescribedCondition, DescribedRule } from './descriptions.ts';

/** Longer sentences are truncated and end with an ellipsis. */
const maxLength = 1_000;

/** The rule as an English sentence about the activity: “Extinguishers opens after Getting out is passed.” */
export function ruleText(title: string, rule: DescribedRule): string {
  const { Match, Value } = rule;
  const parts = rule.Conditions.map(conditionText);
  const conditions = parts.join(Match === 'all' ? ' and ' : ' or ');
  const texts: Record<DescribedRule['Rule'], string> = {
    opensAfter: `${title} opens after ${conditions}`,
    unavailableIf: `${title} is not available if ${conditions}`,
    skippedIf: `${title} is skipped if ${conditions}`,
    hiddenIf: `${title} is hidden from the contents if ${conditions}`,
    lastIf: `Nothing after ${title} can be opened if ${conditions}`,
    endsIf: `${title} ends if ${conditions}`,
    repeatsIf: `${title} is repeated if ${conditions}`,
    restartsIf: `The course starts again after ${title} if ${conditions}`,
    courseEndsIf: `The course ends after ${title} if ${conditions}`,
    groupEndsIf: `The group ends after ${title} if ${conditions}`,
    continuesIf: `${title} leads to the next unit if ${conditions}`,
    goesBackIf: `${title} leads back to the previous unit if ${conditions}`,
    attemptLimit: `${title} can be attempted ${Value === 1 ? 'once' : `${Value} times`}`,
    timeLimit: `An attempt on ${title} can take up to ${minutesText(Value ?? 0)}`,
    inOrder: `The units of ${title} open in order`,
    forwardOnly: `Learners cannot go back within ${title}`,
    selection: `${Value === 1 ? 'One' : Value} of the units of ${title} ${Value === 1 ? 'is' : 'are'} selected`,
    shuffled: `The units of ${title} are in random order`,
    passScore: `${title} is passed with a score of ${Value} % or more`,
    completionShare: `${title} is completed with ${Value} % progress or more`,
    prerequisites: `${title} opens when its prerequisites are met`,
  };
  const text = `${texts[rule.Rule]}.`;
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()} …` : text;
}

function conditionText({ Condition, Not, Units, Objective, Value }: DescribedCondition): string {
  const what =
    Units.length > 0 ? Units.join(' or ') : Objective === null ? 'it' : `the objective “${Objective}”`;
  const score = what === 'it' ? 'its score' : `the score of ${what}`;
  const not = Not ? ' not' : '';
  const texts: Record<DescribedCondition['Condition'], string> = {
    passed: `${what} is${not} passed`,
    completed: `${what} is${not} completed`,
    done: `${what} is ${Not ? 'neither completed nor passed' : 'completed or passed'}`,
    opened: `${what} was${not} opened`,
    scoreAbove: `${score} is${not} above ${Value} %`,
    scoreBelow: `${score} is${not} below ${Value} %`,
    resultKnown: `${what} is ${Not ? 'neither passed nor failed' : 'passed or failed'}`,
    scoreKnown: `${what} has ${Not ? 'no' : 'a'} score`,
    progressKnown: `${what} has ${Not ? 'no' : 'a'} completion status`,
    attemptsUsedUp: `no attempts on ${what} are left`,
    timeUsedUp: `the time for ${what} is${not} used up`,
    always: Not ? 'never' : 'at any time',
    never: Not ? 'at any time' : 'never',
  };
  return Condition === 'attemptsUsedUp' && Not ? `attempts on ${what} are left` : texts[Condition];
}

function minutesText(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}
