import type { MaybeOptionalInit } from 'openapi-fetch';
import type { LecternEvent } from './events.ts';
import type { paths } from './generated.ts';

export type Method = 'get' | 'put' | 'post' | 'delete';

/** The paths that support the method, as in openapi.json. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];

type JsonOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : never;
type Done<R> = JsonOf<R[keyof R & (200 | 201)]>;

/** The type of the call's result; undefined if the response has no body. */
export type Answer<M extends Method, P extends PathWith<M>> = paths[P] extends {
  [K in M]: { responses: infer R };
}
  ? [Done<R>] extends [never]
    ? undefined
    : Done<R>
  : never;

/** `params` (path, query), `body`, and options of `fetch` such as `signal`. */
export type Init<M extends Method, P extends PathWith<M>> = MaybeOptionalInit<paths[P], M>;

/** The argument can be omitted if all its properties are optional. */
export type Given<M extends Method, P extends PathWith<M>> =
  undefined extends Init<M, P> ? [init?: Init<M, P>] : [init: Init<M, P>];

export type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...init: Given<M, P>
) => Promise<Answer<M, P>>;

/** The lists: operations that return pages. */
export type ListPath = {
  [P in PathWith<'get'>]: Answer<'get', P> extends { Items: unknown[]; NextCursor: string | null }
    ? P
    : never;
}[PathWith<'get'>];

/** The rows of a list. Those of the event log have the `Data` of their `Type`. */
export type Item<P extends ListPath> = P extends '/events'
  ? LecternEvent
  : Answer<'get', P> extends { Items: (infer T)[] }
    ? T
    : never;
export type Page<P extends ListPath> = Omit<Answer<'get', P>, 'Items'> & { Items: Item<P>[] };
