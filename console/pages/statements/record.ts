import type { components } from '../../../client/src/generated.ts';

export type Statement = components['schemas']['Statement'];
export type Actor = components['schemas']['Actor'];

type Page = { Items: Statement[]; NextCursor: string | null };

/** The cast is safe: only a request for a single statement returns another type. */
const toPage = (answer: unknown) => answer as { statements: Statement[]; more: string };

/** `more` is a link with the same query and the cursor of the next page. */
export function cursorOf(answer: unknown): string | undefined {
  const { more } = toPage(answer);
  return more === '' ? undefined : (new URL(more, location.origin).searchParams.get('cursor') ?? undefined);
}

/** Converts a page of statements to the form of all other lists. */
export function pageOf(answer: unknown): Page {
  return { Items: toPage(answer).statements, NextCursor: cursorOf(answer) ?? null };
}

/** The agent that represents a user in the service's own statements. */
export function agentOf(loginId: string): string {
  return JSON.stringify({ account: { homePage: location.origin, name: loginId } });
}

/** The LoginID if the actor is a user of this service. Otherwise null. */
export function loginIdOf({ objectType = 'Agent', account }: Actor): string | null {
  return objectType === 'Agent' && account?.homePage === location.origin ? account.name : null;
}

/** The actor's name or, if there is none, its identifier. */
export function nameOfActor({ name, account, mbox, openid, mbox_sha1sum }: Actor): string {
  return name || account?.name || mbox?.replace(/^mailto:/, '') || openid || mbox_sha1sum || '–';
}

/** The text in the viewer's language or, if it is missing, in English or any other language. */
export function textIn(texts: { [tag: string]: string } | undefined, language: string): string | undefined {
  const entries = Object.entries(texts ?? {});
  const inLanguage = (wanted: string) =>
    entries.find(([tag]) => tag.toLowerCase().split('-')[0] === wanted)?.[1];
  return inLanguage(language) ?? inLanguage('en') ?? entries[0]?.[1];
}

/** The last part of an IRI, which is usually a word. */
export const lastPart = (iri: string): string => decoded(/([^/#:]+)[/#]*$/.exec(iri)?.[1] ?? iri);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Verbs that have their own sentences. */
export const verbs = {
  answered: 'http://adlnet.gov/expapi/verbs/answered',
  attempted: 'http://adlnet.gov/expapi/verbs/attempted',
  completed: 'http://adlnet.gov/expapi/verbs/completed',
  passed: 'http://adlnet.gov/expapi/verbs/passed',
  failed: 'http://adlnet.gov/expapi/verbs/failed',
  mastered: 'http://adlnet.gov/expapi/verbs/mastered',
  experienced: 'http://adlnet.gov/expapi/verbs/experienced',
  interacted: 'http://adlnet.gov/expapi/verbs/interacted',
  progressed: 'http://adlnet.gov/expapi/verbs/progressed',
  launched: 'http://adlnet.gov/expapi/verbs/launched',
  initialized: 'http://adlnet.gov/expapi/verbs/initialized',
  suspended: 'http://adlnet.gov/expapi/verbs/suspended',
  resumed: 'http://adlnet.gov/expapi/verbs/resumed',
  terminated: 'http://adlnet.gov/expapi/verbs/terminated',
  abandoned: 'https://w3id.org/xapi/adl/verbs/abandoned',
  satisfied: 'https://w3id.org/xapi/adl/verbs/satisfied',
  waived: 'https://w3id.org/xapi/adl/verbs/waived',
  voided: 'http://adlnet.gov/expapi/verbs/voided',
} as const;

export type KnownVerb = keyof typeof verbs;

/** An ISO 8601 duration as a clock shows it: 0:12 or 1:02:03. */
export function clockTime(duration: string | undefined): string | null {
  const shape = /^P(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/;
  const parts = shape.exec(duration ?? '');
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const total = Math.round(((days * 24 + hours) * 60 + minutes) * 60 + seconds);
  if (!Number.isFinite(total)) return null;
  const two = (value: number) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
