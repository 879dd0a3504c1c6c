import type { Texts } from './text.ts';

const hello = (name: string | null) => (name === null ? 'Bonjour,' : `Bonjour ${name},`);

/** The first of a month is written differently. */
const dayOf = (until: string) => until.replace(/^1 /, '1er ');

export const fr: Texts = {
  locale: 'fr',
  reminder: {
    greeting: hello,
    words: {
      subject: 'Rappel : {Courses}',
      intro: 'Voici ce qui vous attend chez {Organisation} :',
      closing: 'Si vous avez besoin d’aide ou de plus de temps, contactez {Organisation}.',
    },
    ...{ due: 'à terminer le', overdue: 'en retard depuis le', ends: 'non terminé, l’accès prend fin le' },
    courses: (first, more) => (more === 0 ? first : `${first} et ${more} de plus`),
    more: (count) => `et ${count} de plus`,
    team: 'En retard dans votre équipe',
    action: 'Se connecter',
  },
  texts: {
    invitation: ({ tenant, name, loginId, until }) => ({
      subject: `Définissez votre mot de passe pour ${tenant}`,
      greeting: hello(name),
      before: [
        `Vous avez reçu une invitation à rejoindre ${tenant}. Choisissez un mot de passe pour vous connecter directement.`,
      ],
      action: 'Définir le mot de passe',
      after: [
        ...(loginId === null ? [] : [`Votre identifiant est ${loginId}.`]),
        `Ce lien ne fonctionne qu’une seule fois, jusqu’au ${dayOf(until)}. S’il vous en faut un nouveau, adressez-vous à la personne qui vous a envoyé l’invitation.`,
        'Si vous n’attendiez pas cet e-mail, vous pouvez l’ignorer.',
      ],
    }),
    password_reset: ({ tenant, name, loginId, until }) => ({
      subject: `Réinitialisez votre mot de passe pour ${tenant}`,
      greeting: hello(name),
      before: [`Un nouveau mot de passe a été demandé pour votre compte chez ${tenant}.`],
      action: 'Choisir un nouveau mot de passe',
      after: [
        ...(loginId === null ? [] : [`Votre identifiant est ${loginId}.`]),
        `Ce lien ne fonctionne qu’une seule fois, jusqu’au ${until}.`,
        'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail : votre mot de passe reste inchangé.',
      ],
    }),
    report: ({ tenant, name, report, period, isAttached }) => ({
      subject: `${report} : ${period}`,
      greeting: hello(name),
      before: [
        isAttached
          ? `Vous trouverez ci-joint le rapport « ${report} » de ${tenant} (${period}) au format CSV.`
          : `Le rapport « ${report} » de ${tenant} (${period}) est prêt. Il est trop volumineux pour être joint. Connectez-vous pour le télécharger.`,
      ],
      action: 'Ouvrir les rapports',
      after: [
        'Les jours commencent et finissent à minuit UTC.',
        `Vous recevez cet e-mail parce qu’un administrateur de ${tenant} vous a ajouté aux destinataires du rapport.`,
      ],
    }),
    password_changed: ({ tenant, name, at, isOwn }) => ({
      subject: `Votre mot de passe pour ${tenant} a été modifié`,
      greeting: hello(name),
      before: isOwn
        ? [
            `Le mot de passe de votre compte chez ${tenant} a été modifié le ${dayOf(at)}. Vous avez été déconnecté de vos autres appareils.`,
          ]
        : [
            `Un nouveau mot de passe a été défini pour votre compte chez ${tenant} le ${dayOf(at)}. Vous avez été déconnecté de tous vos appareils.`,
          ],
      action: '',
      after: isOwn
        ? [
            `Si vous n’êtes pas à l’origine de ce changement, choisissez « Mot de passe oublié ? » sur la page de connexion pour en définir un nouveau, et prévenez ${tenant}.`,
          ]
        : [`Si vous ne vous y attendiez pas, contactez ${tenant}.`],
    }),
    passkey_added: ({ tenant, name, at }) => ({
      subject: `Une clé d’accès a été ajoutée à votre compte chez ${tenant}`,
      greeting: hello(name),
      before: [
        `Une clé d’accès a été ajoutée à votre compte chez ${tenant} le ${dayOf(at)}. Désormais, une clé d’accès est demandée à la connexion.`,
      ],
      action: '',
      after: [
        `Si vous n’êtes pas à l’origine de cet ajout, quelqu’un d’autre utilise peut-être votre compte. Prévenez immédiatement ${tenant}.`,
      ],
    }),
    passkey_removed: ({ tenant, name, at, isOwn, isAll }) => ({
      subject: isAll
        ? `Toutes les clés d’accès de votre compte chez ${tenant} ont été supprimées`
        : `Une clé d’accès a été supprimée de votre compte chez ${tenant}`,
      greeting: hello(name),
      before: [
        isAll
          ? `Toutes les clés d’accès de votre compte chez ${tenant} ont été supprimées le ${dayOf(at)}. Vous avez été déconnecté de tous vos appareils.`
          : `Une clé d’accès a été supprimée de votre compte chez ${tenant} le ${dayOf(at)}. Vous avez été déconnecté de vos autres appareils.`,
      ],
      action: '',
      after: isOwn
        ? [
            `Si vous n’êtes pas à l’origine de cette suppression, quelqu’un d’autre utilise peut-être votre compte. Prévenez immédiatement ${tenant}.`,
          ]
        : [`Si vous ne vous y attendiez pas, contactez ${tenant}.`],
    }),
    test: ({ tenant, name }) => ({
      subject: `E-mail de test de ${tenant}`,
      greeting: hello(name),
      before: [`Les e-mails de ${tenant} vous parviennent. Un administrateur a demandé ce test.`],
      action: '',
      after: [],
    }),
  },
};
