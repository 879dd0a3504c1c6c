/** A page's state is in its URL: the tenant that an operator acts on, and the filters. All values are text. */
export type Search = Partial<Record<string, string>>;
