import Type from 'typebox';
import { Fields, Identifier, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';

export const LoginID = Identifier(
  "Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.",
);

const details = {
  FirstName: Nullable(Text(255)),
  LastName: Nullable(Text(255)),
  GroupName: Nullable(
    Text(255, { description: 'A free-text label, such as a department or a customer company.' }),
  ),
  Email: Nullable(
    Text(320, {
      description:
        "If the service sends email, changing this address requires users:admin and the scopes of the user's role, because password links are sent to it.",
    }),
  ),
};

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
  { LoginID, ...details, ...flags, TimeFactor, ...bounce, CreatedAt: Instant(), UpdatedAt: Instant() },
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
  Password: Type.Optional(Nullable(Password)),
  IsAdmin: Type.Optional(Nullable(flags.IsAdmin)),
  Register: Type.Optional(Nullable(flags.Register)),
  Enabled: Type.Optional(Nullable(flags.Enabled)),
  TimeFactor: Type.Optional(TimeFactor),
} as { [K in keyof typeof details]: Type.TOptional<(typeof details)[K]> } & {
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

export const Group = Fields({ GroupName: Text(255) }, { title: 'Group' });
