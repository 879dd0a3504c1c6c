/** Statements and their parts, as a client sends them. xAPI 1.0.3, Data 2.4; IEEE 9274.1.1, 4.2. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** The two protocols, selected by the header `X-Experience-API-Version`. */
export type Edition = '1.0.3' | '2.0.0';

export type LanguageMap = { [tag: string]: string };
export type Account = { homePage: string; name: string };

/** Data 2.4.2.1: has exactly one of the four identifiers. */
export type Agent = {
  objectType?: 'Agent';
  name?: string;
  mbox?: string;
  mbox_sha1sum?: string;
  openid?: string;
  account?: Account;
};

/** Data 2.4.2.2: identified like an agent, or anonymous with members. */
export type Group = Omit<Agent, 'objectType'> & { objectType: 'Group'; member?: Agent[] };
export type Actor = Agent | Group;

export type Verb = { id: string; display?: LanguageMap };

/** Data 2.4.4.1. */
export type Activity = { objectType?: 'Activity'; id: string; definition?: JsonObject };

/** Data 2.4.4.3. */
export type StatementRef = { objectType: 'StatementRef'; id: string };

/** Data 2.4.4.4: a statement within a statement. It does not represent an event that has occurred. */
export type SubStatement = Omit<Statement, 'id' | 'stored' | 'version' | 'authority' | 'object'> & {
  objectType: 'SubStatement';
  object: Activity | Actor | StatementRef;
};

export type Score = { scaled?: number; raw?: number; min?: number; max?: number };
export type Result = {
  score?: Score;
  success?: boolean;
  completion?: boolean;
  response?: string;
  duration?: string;
  extensions?: JsonObject;
};

export const contextActivityKinds = ['parent', 'grouping', 'category', 'other'] as const;
export type ContextActivityKind = (typeof contextActivityKinds)[number];

export type Context = {
  registration?: string;
  instructor?: Actor;
  team?: Group;
  /** xAPI 1.0 clients may send a single activity instead of an array. */
  contextActivities?: { [kind in ContextActivityKind]?: Activity | Activity[] };
  /** xAPI 2.0 only. */
  contextAgents?: { objectType: 'contextAgent'; agent: Agent; relevantTypes?: string[] }[];
  contextGroups?: { objectType: 'contextGroup'; group: Group; relevantTypes?: string[] }[];
  revision?: string;
  platform?: string;
  language?: string;
  statement?: StatementRef;
  extensions?: JsonObject;
};

export type Attachment = {
  usageType: string;
  display: LanguageMap;
  description?: LanguageMap;
  contentType: string;
  length: number;
  sha2: string;
  fileUrl?: string;
};

export type StatementObject = Activity | Actor | StatementRef | SubStatement;

export type Statement = {
  id?: string;
  actor: Actor;
  verb: Verb;
  object: StatementObject;
  result?: Result;
  context?: Context;
  timestamp?: string;
  stored?: string;
  authority?: Actor;
  version?: string;
  attachments?: Attachment[];
};
