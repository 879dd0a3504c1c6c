import type { Texts } from './text.ts';

const hello = (name: string | null) => (name === null ? 'Hello,' : `Hello ${name},`);

export const en: Texts = {
  locale: 'en-GB',
  reminder: {
    greeting: hello,
    words: {
      subject: 'Reminder: {Courses}',
      intro: 'This is waiting for you at {Organisation}:',
      closing: 'If you need help or more time, contact {Organisation}.',
    },
    ...{ due: 'due on', overdue: 'overdue since', ends: 'not completed, and access ends on' },
    courses: (first, more) => (more === 0 ? first : `${first} and ${more} more`),
    more: (count) => `and ${count} more`,
    team: 'Overdue in your team',
    action: 'Sign in',
  },
  texts: {
    invitation: ({ tenant, name, loginId, until }) => ({
      subject: `Set your password for ${tenant}`,
      greeting: hello(name),
      before: [`You have been invited to ${tenant}. Choose a password, and you will be signed in.`],
      action: 'Set password',
      after: [
        ...(loginId === null ? [] : [`Your login name is ${loginId}.`]),
        `The link works once, until ${until}. If you need a new one, ask the person who invited you.`,
        'If you did not expect this email, you can ignore it.',
      ],
    }),
    password_reset: ({ tenant, name, loginId, until }) => ({
      subject: `Reset your password for ${tenant}`,
      greeting: hello(name),
      before: [`Someone asked to reset the password for your account with ${tenant}.`],
      action: 'Choose a new password',
      after: [
        ...(loginId === null ? [] : [`Your login name is ${loginId}.`]),
        `The link works once, until ${until}.`,
        'If this was not you, ignore this email. Your password will not change.',
      ],
    }),
    report: ({ tenant, name, report, period, isAttached }) => ({
      subject: `${report}: ${period}`,
      greeting: hello(name),
      before: [
        isAttached
          ? `The report “${report}” from ${tenant} for ${period} is attached as a CSV file.`
          : `The report “${report}” from ${tenant} for ${period} is ready. It is too large to attach. Sign in to download it.`,
      ],
      action: 'Open reports',
      after: [
        'Days begin and end at midnight UTC.',
        `You are receiving this email because an administrator of ${tenant} added you as a recipient of the report.`,
      ],
    }),
    password_changed: ({ tenant, name, at, isOwn }) => ({
      subject: `Your password for ${tenant} was changed`,
      greeting: hello(name),
      before: isOwn
        ? [
            `The password for your account with ${tenant} was changed on ${at}. You have been signed out on your other devices.`,
          ]
        : [
            `${tenant} set a new password for your account on ${at}. You have been signed out on all devices.`,
          ],
      action: '',
      after: isOwn
        ? [
            `If this was not you, choose “Forgot your password?” on the sign-in page to set a new one, and tell ${tenant}.`,
          ]
        : [`If you did not expect this, contact ${tenant}.`],
    }),
    passkey_added: ({ tenant, name, at }) => ({
      subject: `A passkey was added to your account with ${tenant}`,
      greeting: hello(name),
      before: [
        `A passkey was added to your account with ${tenant} on ${at}. From now on, you need a passkey to sign in.`,
      ],
      action: '',
      after: [`If this was not you, somebody else may be using your account. Tell ${tenant} immediately.`],
    }),
    passkey_removed: ({ tenant, name, at, isOwn, isAll }) => ({
      subject: isAll
        ? `All passkeys were removed from your account with ${tenant}`
        : `A passkey was removed from your account with ${tenant}`,
      greeting: hello(name),
      before: [
        isAll
          ? `${isOwn ? `All passkeys were removed from your account with ${tenant}` : `${tenant} removed all passkeys from your account`} on ${at}. You have been signed out on all devices.`
          : `A passkey was removed from your account with ${tenant} on ${at}. You have been signed out on your other devices.`,
      ],
      action: '',
      after: isOwn
        ? [`If this was not you, somebody else may be using your account. Tell ${tenant} immediately.`]
        : [`If you did not expect this, contact ${tenant}.`],
    }),
    test: ({ tenant, name }) => ({
      subject: `Test email from ${tenant}`,
      greeting: hello(name),
      before: [`Emails from ${tenant} reach you. An administrator asked for this test.`],
      action: '',
      after: [],
    }),
  },
};
