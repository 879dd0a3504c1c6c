import type { useNavigate } from '@tanstack/react-router';

type Navigate = ReturnType<typeof useNavigate>;

export type Result = {
  key: string;
  label: string;
  detail?: string;
  open: (navigate: Navigate) => void;
};
export type ResultGroup = {
  name: 'users' | 'enrolments' | 'courses' | 'keys' | 'apiKeys' | 'tenants' | 'pages' | 'actions';
  results: Result[];
};
export type Results = { results: Result[]; isFetching: boolean };

const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Text such as “invite ann lee”, or “ann lee einladen”: whose words hold the verb, and the rest of the text. */
export function splitVerb<Verb extends string>(
  text: string,
  words: Record<Verb, string>,
): [Verb | null, string] {
  const asked = text.split(/\s+/);
  for (const at of asked.length > 1 ? [0, asked.length - 1] : [])
    for (const verb of Object.keys(words) as Verb[])
      if (
        fold(words[verb])
          .split(' ')
          .includes(fold(asked[at] ?? ''))
      )
        return [verb, asked.toSpliced(at, 1).join(' ')];
  return [null, text];
}

/** Whether each word of the search begins a word of the text. */
export function matches(text: string, search: string): boolean {
  const words = fold(text).split(/[^\p{L}\p{N}]+/u);
  const asked = fold(search)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return asked.every((begin) => words.some((word) => word.startsWith(begin)));
}
