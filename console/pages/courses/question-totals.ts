import type { components } from '../../../client/src/generated.ts';

export type Question = components['schemas']['CourseQuestion'];

/** Adds up the counts of several pages. If a question is on several pages, its texts come from the last one. */
export function questionTotals(pages: readonly { Questions: Question[] }[]): Question[] {
  const totals = new Map<string, Question>();
  for (const question of pages.flatMap(({ Questions }) => Questions)) {
    const key = JSON.stringify([question.UnitID, question.InteractionID]);
    const before = totals.get(key);
    totals.set(key, before ? sum(before, question) : question);
  }
  return [...totals.values()];
}

function sum(one: Question, other: Question): Question {
  const Timed = one.Timed + other.Timed;
  const seconds = one.Timed * (one.LatencySeconds ?? 0) + other.Timed * (other.LatencySeconds ?? 0);
  return {
    ...other,
    Answers: one.Answers + other.Answers,
    Correct: one.Correct + other.Correct,
    Incorrect: one.Incorrect + other.Incorrect,
    Timed,
    LatencySeconds: Timed === 0 ? null : seconds / Timed,
    Responses: sumResponses([...one.Responses, ...other.Responses]),
  };
}

function sumResponses(all: Question['Responses']): Question['Responses'] {
  const counts = new Map<string, number>();
  for (const { Response, Answers } of all) counts.set(Response, (counts.get(Response) ?? 0) + Answers);
  return [...counts]
    .map(([Response, Answers]) => ({ Response, Answers }))
    .sort((a, b) => b.Answers - a.Answers);
}
