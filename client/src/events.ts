import type { operations, webhooks } from './generated.ts';

type Received<O> = O extends { requestBody: { content: { 'application/json': infer E } } } ? E : never;

/** An event. `Type` determines the fields of `Data`. */
export type LecternEvent = {
  [T in keyof webhooks & keyof operations]: Received<operations[T]>;
}[keyof webhooks & keyof operations];
