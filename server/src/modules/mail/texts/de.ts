import type { Texts } from './text.ts';

const hello = (name: string | null) => (name === null ? 'Guten Tag,' : `Guten Tag ${name},`);

export const de: Texts = {
  locale: 'de',
  texts: {
    invitation: ({ tenant, name, loginId, until }) => ({
      subject: `Legen Sie Ihr Passwort für ${tenant} fest`,
      greeting: hello(name),
      before: [
        `Sie wurden zu ${tenant} eingeladen. Legen Sie ein Passwort fest; danach sind Sie gleich angemeldet.`,
      ],
      action: 'Passwort festlegen',
      after: [
        `Ihr Anmeldename lautet ${loginId}.`,
        `Der Link funktioniert nur einmal und gilt bis zum ${until}. Einen neuen erhalten Sie von der Person, die Sie eingeladen hat.`,
        'Wenn Sie diese E-Mail nicht erwartet haben, können Sie sie ignorieren.',
      ],
    }),
  },
};
