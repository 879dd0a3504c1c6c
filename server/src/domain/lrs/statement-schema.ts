import Type, { type TSchema } from 'typebox';

/** These schemas describe statements for integrators. Requests are checked by the rules of xAPI instead. */
const optional = (fields: Record<string, TSchema>) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const iri = text('An IRI.');
const languageMap = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Texts by language tag.',
});
const extensions = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Values by IRI.',
});

const account = Type.Object({ homePage: iri, name: Type.String() });
const identity = { name: text(), mbox: text(), mbox_sha1sum: text(), openid: text(), account };

export const Actor = Type.Object(
  optional({
    objectType: text('`Agent` (default) or `Group`.'),
    ...identity,
    member: Type.Array(Type.Object(optional({ objectType: text(), ...identity })), {
      description: 'Agents; only in a group.',
    }),
  }),
  {
    title: 'Actor',
    description: 'An agent or group, identified by exactly one of mbox, mbox_sha1sum, openid and account.',
  },
);

const verb = Type.Object({ id: iri, display: Type.Optional(languageMap) });

const object = Type.Object(
  optional({
    objectType: text('`Activity` (default), `Agent`, `Group`, `StatementRef` or `SubStatement`.'),
    id: text('IRI of the activity, or ID of the statement.'),
    definition: Type.Object(
      optional({
        name: languageMap,
        description: languageMap,
        type: iri,
        moreInfo: iri,
        interactionType: text(),
        correctResponsesPattern: Type.Array(Type.String()),
        extensions,
      }),
      { additionalProperties: true },
    ),
  }),
  { additionalProperties: true, description: 'What the statement is about; usually an activity.' },
);

const result = Type.Object(
  optional({
    score: Type.Object(
      optional({ scaled: Type.Number(), raw: Type.Number(), min: Type.Number(), max: Type.Number() }),
    ),
    success: Type.Boolean(),
    completion: Type.Boolean(),
    response: text(),
    duration: text('ISO 8601.'),
    extensions,
  }),
);

const activities = Type.Array(Type.Object({ id: iri }, { additionalProperties: true }));

const context = Type.Object(
  optional({
    registration: text('A UUID. Lectern uses the EnrollID.'),
    instructor: Actor,
    team: Actor,
    contextActivities: Type.Object(
      optional({ parent: activities, grouping: activities, category: activities, other: activities }),
    ),
    revision: text(),
    platform: text(),
    language: text(),
    statement: Type.Object({ objectType: text('`StatementRef`.'), id: Type.String() }),
    extensions,
  }),
  { additionalProperties: true },
);

const attachment = Type.Object({
  usageType: iri,
  display: languageMap,
  description: Type.Optional(languageMap),
  contentType: Type.String(),
  length: Type.Integer(),
  sha2: Type.String(),
  fileUrl: Type.Optional(iri),
});

/** xAPI, Data 2.4. */
export const Statement = Type.Object(
  {
    actor: Actor,
    verb,
    object,
    ...optional({
      id: text('A UUID. Choose one yourself, so that repeating the request is safe.'),
      result,
      context,
      timestamp: text('When the experience happened. Default: when the statement was stored.'),
      stored: text('When the statement was stored. Set by the LRS.'),
      authority: Actor,
      version: text(),
      attachments: Type.Array(attachment),
    }),
  },
  { title: 'Statement', description: 'xAPI, Data 2.4.' },
);
