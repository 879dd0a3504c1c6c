import type { Entry } from '../document.ts';
import { exampleRequest } from '../request.ts';
import { answerTypeOf } from './answer-type.ts';
import { csharpOf } from './csharp.ts';
import { curlOf } from './curl.ts';
import { phpOf } from './php.ts';
import { pythonOf } from './python.ts';
import { typescriptOf } from './typescript.ts';

/** Writes the example request of an operation. `type` selects the body's media type, such as CSV. */
type Writer = (entry: Entry, baseUrl: string, type?: string) => string;

type Language = { name: string; sampleOf: Writer };

export const languages = {
  curl: { name: 'curl', sampleOf: (...given) => curlOf(exampleRequest(...given)) },
  typescript: { name: 'TypeScript', sampleOf: typescriptOf },
  python: {
    name: 'Python',
    sampleOf: (...given) => pythonOf(exampleRequest(...given), answerTypeOf(given[0]).type),
  },
  php: { name: 'PHP', sampleOf: (...given) => phpOf(exampleRequest(...given)) },
  csharp: { name: 'C#', sampleOf: (...given) => csharpOf(exampleRequest(...given)) },
} as const satisfies Record<string, Language>;

export type LanguageId = keyof typeof languages;
export const languageIds = Object.keys(languages) as LanguageId[];
