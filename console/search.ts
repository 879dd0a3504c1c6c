/** All that a page shows is in its address: the tenant that an operator acts on, and the filters. All of it is text. */
export type Search = Partial<Record<string, string>>;
