import Type from 'typebox';
import { Fields, Identifier, Instant, Notify, Nullable, OneOf, Text } from '../../http/validation/schema.ts';

export const LoginID = Identifier(
  "Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.",
);

const details = {
  FirstName: Nullable(Text(255)),
  LastName: Nullable(Text(255)),
  GroupName: Nullable(
    Text(255, {
      description:
        'The first of the Groups: a free-text label, such as a department or a customer company. Setting it replaces the first group and keeps the others; null removes all of them.',
    }),
  ),
  Email: Nullable(
    Text(320, {
      description:
        "If the service sends email, changing this address requires users:admin and the scopes of the user's role, because password links are sent to it.",
    }),
  ),
  ManagerLoginID: Nullable(
    Identifier(
      'The LoginID of the manager, who does not have to exist yet. Nothing follows the managers of managers, so they may form a circle. If the manager is erased, it becomes null.',
    ),
  ),
};

const Groups = Type.Array(Text(255, { minLength: 1 }), {
  maxItems: 50,
  description:
    'All groups of the user; GroupName is the first. Filters, reports and the Groups of enrolment options look at all of them.',
});

export const maxAttributes = 30;

/** Filters separate the name from the value with a colon. */
const attributeName = '^[^:\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]{1,40}$';

export const GroupFilter = Text(255, {
  description: 'A group of the users. If empty: users without a group.',
});

export const ManagerFilter = Text(255, {
  description: 'The LoginID of the manager of the users. If empty: users without a manager.',
});

export const AttributeFilter = Text(300, {
  description:
    'A name and a value from Attributes, exactly, separated by a colon, such as site:Leeds. Without a value: users who do not have the attribute.',
  examples: ['site:Leeds'],
});

/** Parameters of lists and reports that select users, apart from their groups. */
export const peopleQuery = {
  ManagerLoginID: Type.Optional(ManagerFilter),
  Attribute: Type.Optional(AttributeFilter),
};

const AttributesChange = Type.Record(Type.String({ pattern: attributeName }), Nullable(Text(255)), {
  maxProperties: maxAttributes,
  additionalProperties: false,
  description: `Short texts about the user by their names, such as a job, a site or a country, up to ${maxAttributes}. Names that you leave out keep their values; a null or blank value removes the name.`,
});

/** Without a pattern for names, which the serializer would compile without the `u` flag. */
const Attributes = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Short texts about the user by their names, such as a job, a site or a country.',
});

const flags = {
  IsAdmin: Type.Boolean({ default: false, description: 'true makes the user an administrator.' }),
  Register: Type.Boolean({
    default: false,
    description: 'true if the user registered the account themselves.',
  }),
  Enabled: Type.Boolean({
    default: true,
    description: 'If false, the user can neither sign in nor start a course.',
  }),
};

export const TimeFactor = Nullable(
  Type.Number({
    minimum: 1,
    maximum: 100,
    description:
      'By how much the time limits of courses are extended: 1.5 gives half as long again; null removes them. It applies to SCORM and AICC time limits from the next launch on.',
  }),
);

const bounce = {
  EmailBouncedAt: Nullable(
    Instant(
      'When a permanent bounce of the address was reported. The service sends no email to it until Email changes, or until you clear the bounce with DELETE /user/{LoginID}/bounce.',
    ),
  ),
  EmailBounceReason: Nullable(Text(500, { description: 'The reason, as reported.' })),
};

export const User = Fields(
  {
    LoginID,
    ...details,
    Groups,
    Attributes,
    ...flags,
    TimeFactor,
    ...bounce,
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'User' },
);
export type User = Type.Static<typeof User>;

export const Password = Text(1024, {
  minLength: 1,
  description:
    'Hashed by the client with the function that it also uses for POST /user/check/{LoginID}. If it is omitted or null, a random value is set. Setting a password requires the scope users:admin.',
});

const changeable = {
  ...Object.fromEntries(Object.entries(details).map(([name, schema]) => [name, Type.Optional(schema)])),
  Groups: Type.Optional(Nullable(Groups)),
  Attributes: Type.Optional(Nullable(AttributesChange)),
  Password: Type.Optional(Nullable(Password)),
  IsAdmin: Type.Optional(Nullable(flags.IsAdmin)),
  Register: Type.Optional(Nullable(flags.Register)),
  Enabled: Type.Optional(Nullable(flags.Enabled)),
  TimeFactor: Type.Optional(TimeFactor),
} as { [K in keyof typeof details]: Type.TOptional<(typeof details)[K]> } & {
  Groups: Type.TOptional<Type.TUnsafe<string[] | null>>;
  Attributes: Type.TOptional<Type.TUnsafe<Record<string, string | null> | null>>;
  Password: Type.TOptional<Type.TUnsafe<string | null>>;
  IsAdmin: Type.TOptional<Type.TUnsafe<boolean | null>>;
  Register: Type.TOptional<Type.TUnsafe<boolean | null>>;
  Enabled: Type.TOptional<Type.TUnsafe<boolean | null>>;
  TimeFactor: Type.TOptional<typeof TimeFactor>;
};

export const NewUser = Fields(
  {
    LoginID,
    ...changeable,
    IfExists: Type.Optional(
      OneOf(['fail', 'update'], {
        description:
          'What happens if the user exists. fail (default): 409 user_exists if a field that you sent differs. update: the fields that you sent are changed under the rules of PUT /user/{LoginID}; the others keep their values. A Password is set again with each call, which ends all sessions of the user.',
      }),
    ),
    IfMissing: Type.Optional(
      OneOf(['create', 'fail'], {
        description:
          'What happens if the user does not exist. create (default): the user is created. fail: 404 user_not_found.',
      }),
    ),
  },
  { title: 'NewUser' },
);
export type NewUser = Type.Static<typeof NewUser>;

export const UserChange = Fields({ LoginID: Type.Optional(LoginID), ...changeable }, { title: 'UserChange' });
export type UserChange = Type.Static<typeof UserChange>;

export const CheckResult = Fields(
  {
    LoginID,
    Result: Type.Integer({
      description: '1: enabled, or valid password. 0: disabled. -1: not found. -2: wrong password.',
    }),
  },
  { title: 'CheckResult' },
);
export type CheckResult = Type.Static<typeof CheckResult>;

export const PasswordCheck = Fields({ Password }, { title: 'PasswordCheck' });
export const NewPassword = Fields({ Password, Notify }, { title: 'NewPassword' });
export type NewPassword = Type.Static<typeof NewPassword>;

export const Group = Fields({ GroupName: Text(255) }, { title: 'Group' });
