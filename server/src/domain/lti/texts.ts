import type { Language } from '../tenants/schemas.ts';
import type { LaunchProblem } from './schemas.ts';

type Texts = Record<LaunchProblem, string> & {
  title: string;
  windowTitle: string;
  windowText: string;
  open: string;
  working: string;
  continue: string;
  pickTitle: string;
  pickText: string;
  search: string;
  add: string;
  nothing: string;
  chosen: string;
  grade: string;
  sent: string;
  registered: string;
  registeredText: string;
  notRegistered: string;
  notRegisteredText: string;
  byHand: string;
  byHandText: string;
};

const english: Texts = {
  title: 'The course could not be opened',
  windowTitle: 'Open the course in a window of its own',
  windowText:
    'Your browser does not store data for this page inside another site. In its own window it works.',
  open: 'Open in a new window',
  working: 'One moment, please.',
  continue: 'Continue',
  pickTitle: 'Choose courses',
  pickText: 'Tick what you want to add to your course.',
  search: 'Search',
  add: 'Add',
  nothing: 'No courses found. Try other words.',
  chosen: 'Also chosen',
  grade: 'With a grade column',
  registered: 'Lectern is registered',
  registeredText: 'The platform is called “{name}” in the console. You can close this page.',
  notRegistered: 'The registration failed',
  notRegisteredText:
    'Create another registration link in the console, under Learning platforms, and enter it in your learning platform. A link works once, for 50 minutes.',
  byHand: 'This address is for your learning platform',
  byHandText:
    'Enter it as the login URL of the tool. Your learning platform opens it when somebody opens a course; it cannot be opened by hand.',
  sent: 'The courses are being added.',
  unknown_platform:
    'Your learning platform is not registered here. Ask your administrator to check the issuer and the client ID.',
  several_clients:
    'Your learning platform did not say which client it is. Ask its administrator to update it so that it sends the client ID.',
  state_missing: 'This page was opened without a login. Open the course again from your learning platform.',
  state_expired: 'Starting took longer than ten minutes. Open the course again from your learning platform.',
  other_browser:
    'The launch was begun in another browser or window. Open the course again from your learning platform.',
  cookie_blocked:
    'Your browser blocks cookies for this site. Allow them, and then open the course again from your learning platform.',
  platform_error:
    'Your learning platform did not confirm who you are. Sign in there again, and then open the course.',
  keys_unreachable:
    'The keys of your learning platform could not be read. Try again in a few minutes. If it still fails, tell your administrator.',
  key_not_found:
    'Your learning platform signed with a key that it does not publish. Ask your administrator to check the URL of its keys.',
  bad_signature:
    'The signature of your learning platform is not valid. Ask your administrator to check the URL of its keys.',
  bad_algorithm:
    'Your learning platform signed with a method that is not allowed. Ask its administrator to use RS256.',
  token_expired:
    'The launch has expired. Open the course again. If it still fails, the clock of your learning platform may be wrong.',
  clock_off: 'The clock of your learning platform is ahead. Ask its administrator to correct it.',
  wrong_issuer:
    'The launch comes from another platform than the login. Ask your administrator to check the issuer.',
  wrong_audience: 'The launch is for another tool. Ask your administrator to check the client ID.',
  wrong_nonce: 'The launch does not belong to this login. Open the course again from your learning platform.',
  replayed: 'This launch was already used. Open the course again from your learning platform.',
  unknown_deployment:
    'This deployment is not registered here. Ask your administrator to add its deployment ID.',
  malformed: 'The launch lacks data that LTI requires. Ask the administrator of your learning platform.',
  no_user: 'Your learning platform did not say who you are. Sign in there, and then open the course again.',
  no_course: 'This link does not name a course. Ask your teacher to choose the course again.',
  not_enrolled: 'You could not be enrolled on this course. Ask your teacher or administrator.',
  suspended:
    'Access is currently suspended. Nothing has been lost. Try again later, or ask your administrator.',
};

const german: Texts = {
  title: 'Der Kurs konnte nicht geöffnet werden',
  windowTitle: 'Öffnen Sie den Kurs in einem eigenen Fenster',
  windowText:
    'Ihr Browser speichert für diese Seite innerhalb einer anderen Website keine Daten. In einem eigenen Fenster funktioniert es.',
  open: 'In neuem Fenster öffnen',
  working: 'Einen Moment, bitte.',
  continue: 'Weiter',
  pickTitle: 'Kurse auswählen',
  pickText: 'Wählen Sie aus, was Sie Ihrem Kurs hinzufügen möchten.',
  search: 'Suchen',
  add: 'Hinzufügen',
  nothing: 'Keine Kurse gefunden. Versuchen Sie andere Wörter.',
  chosen: 'Außerdem ausgewählt',
  grade: 'Mit Bewertungsspalte',
  registered: 'Lectern ist registriert',
  registeredText: 'Die Plattform heißt in der Konsole „{name}“. Sie können diese Seite schließen.',
  notRegistered: 'Die Registrierung ist fehlgeschlagen',
  notRegisteredText:
    'Erstellen Sie in der Konsole unter „Lernplattformen“ einen neuen Registrierungslink und geben Sie ihn in Ihrer Lernplattform ein. Ein Link gilt einmal, 50 Minuten lang.',
  byHand: 'Diese Adresse ist für Ihre Lernplattform',
  byHandText:
    'Geben Sie sie als Login-URL des Tools ein. Ihre Lernplattform ruft sie auf, wenn jemand einen Kurs öffnet; von Hand lässt sie sich nicht öffnen.',
  sent: 'Die Kurse werden hinzugefügt.',
  unknown_platform:
    'Ihre Lernplattform ist hier nicht registriert. Bitten Sie Ihre Administration, Issuer und Client-ID zu prüfen.',
  several_clients:
    'Ihre Lernplattform hat nicht mitgeteilt, welcher Client sie ist. Bitten Sie deren Administration, sie zu aktualisieren, damit sie die Client-ID sendet.',
  state_missing:
    'Diese Seite wurde ohne Anmeldung geöffnet. Öffnen Sie den Kurs erneut in Ihrer Lernplattform.',
  state_expired:
    'Der Start dauerte länger als zehn Minuten. Öffnen Sie den Kurs erneut in Ihrer Lernplattform.',
  other_browser:
    'Der Start wurde in einem anderen Browser oder Fenster begonnen. Öffnen Sie den Kurs erneut in Ihrer Lernplattform.',
  cookie_blocked:
    'Ihr Browser blockiert Cookies für diese Website. Erlauben Sie sie und öffnen Sie den Kurs erneut in Ihrer Lernplattform.',
  platform_error:
    'Ihre Lernplattform hat nicht bestätigt, wer Sie sind. Melden Sie sich dort erneut an und öffnen Sie dann den Kurs.',
  keys_unreachable:
    'Die Schlüssel Ihrer Lernplattform konnten nicht gelesen werden. Versuchen Sie es in einigen Minuten erneut. Bleibt der Fehler, informieren Sie Ihre Administration.',
  key_not_found:
    'Ihre Lernplattform hat mit einem Schlüssel signiert, den sie nicht veröffentlicht. Bitten Sie Ihre Administration, die URL der Schlüssel zu prüfen.',
  bad_signature:
    'Die Signatur Ihrer Lernplattform ist ungültig. Bitten Sie Ihre Administration, die URL der Schlüssel zu prüfen.',
  bad_algorithm:
    'Ihre Lernplattform hat mit einem nicht erlaubten Verfahren signiert. Bitten Sie deren Administration, RS256 zu verwenden.',
  token_expired:
    'Der Start ist abgelaufen. Öffnen Sie den Kurs erneut. Bleibt der Fehler, geht die Uhr Ihrer Lernplattform vielleicht falsch.',
  clock_off: 'Die Uhr Ihrer Lernplattform geht vor. Bitten Sie deren Administration, sie zu stellen.',
  wrong_issuer:
    'Der Start kommt von einer anderen Plattform als die Anmeldung. Bitten Sie Ihre Administration, den Issuer zu prüfen.',
  wrong_audience:
    'Der Start gilt einem anderen Tool. Bitten Sie Ihre Administration, die Client-ID zu prüfen.',
  wrong_nonce:
    'Der Start gehört nicht zu dieser Anmeldung. Öffnen Sie den Kurs erneut in Ihrer Lernplattform.',
  replayed: 'Dieser Start wurde bereits verwendet. Öffnen Sie den Kurs erneut in Ihrer Lernplattform.',
  unknown_deployment:
    'Diese Bereitstellung ist hier nicht registriert. Bitten Sie Ihre Administration, die Deployment-ID hinzuzufügen.',
  malformed: 'Dem Start fehlen Angaben, die LTI verlangt. Fragen Sie die Administration Ihrer Lernplattform.',
  no_user:
    'Ihre Lernplattform hat nicht mitgeteilt, wer Sie sind. Melden Sie sich dort an und öffnen Sie den Kurs erneut.',
  no_course: 'Dieser Link nennt keinen Kurs. Bitten Sie Ihre Lehrkraft, den Kurs erneut auszuwählen.',
  not_enrolled:
    'Sie konnten nicht in diesen Kurs eingeschrieben werden. Fragen Sie Ihre Lehrkraft oder Administration.',
  suspended:
    'Der Zugang ist derzeit gesperrt. Es ist nichts verloren gegangen. Versuchen Sie es später erneut oder fragen Sie Ihre Administration.',
};

const french: Texts = {
  title: 'Le cours n’a pas pu être ouvert',
  windowTitle: 'Ouvrez le cours dans une fenêtre séparée',
  windowText:
    'Votre navigateur n’enregistre pas de données pour cette page à l’intérieur d’un autre site. Cela fonctionne dans une fenêtre séparée.',
  open: 'Ouvrir dans une nouvelle fenêtre',
  working: 'Un instant, s’il vous plaît.',
  continue: 'Continuer',
  pickTitle: 'Choisir des cours',
  pickText: 'Cochez ce que vous voulez ajouter à votre cours.',
  search: 'Rechercher',
  add: 'Ajouter',
  nothing: 'Aucun cours trouvé. Essayez d’autres mots.',
  chosen: 'Également choisis',
  grade: 'Avec une colonne de notes',
  registered: 'Lectern est enregistré',
  registeredText: 'La plateforme s’appelle « {name} » dans la console. Vous pouvez fermer cette page.',
  notRegistered: 'L’enregistrement a échoué',
  notRegisteredText:
    'Créez un autre lien d’enregistrement dans la console, sous Plateformes d’apprentissage, et saisissez-le dans votre plateforme. Un lien sert une fois, pendant 50 minutes.',
  byHand: 'Cette adresse est destinée à votre plateforme',
  byHandText:
    'Saisissez-la comme URL de connexion de l’outil. Votre plateforme l’appelle quand quelqu’un ouvre un cours ; elle ne s’ouvre pas à la main.',
  sent: 'Les cours sont en cours d’ajout.',
  unknown_platform:
    'Votre plateforme n’est pas enregistrée ici. Demandez à votre administrateur de vérifier l’émetteur et l’identifiant client.',
  several_clients:
    'Votre plateforme n’a pas indiqué de quel client il s’agit. Demandez à son administrateur de la mettre à jour pour qu’elle envoie l’identifiant client.',
  state_missing: 'Cette page a été ouverte sans connexion. Rouvrez le cours depuis votre plateforme.',
  state_expired: 'Le démarrage a pris plus de dix minutes. Rouvrez le cours depuis votre plateforme.',
  other_browser:
    'Le lancement a été commencé dans un autre navigateur ou une autre fenêtre. Rouvrez le cours depuis votre plateforme.',
  cookie_blocked:
    'Votre navigateur bloque les cookies de ce site. Autorisez-les, puis rouvrez le cours depuis votre plateforme.',
  platform_error:
    'Votre plateforme n’a pas confirmé votre identité. Reconnectez-vous là-bas, puis ouvrez le cours.',
  keys_unreachable:
    'Les clés de votre plateforme n’ont pas pu être lues. Réessayez dans quelques minutes. Si l’erreur persiste, prévenez votre administrateur.',
  key_not_found:
    'Votre plateforme a signé avec une clé qu’elle ne publie pas. Demandez à votre administrateur de vérifier l’adresse de ses clés.',
  bad_signature:
    'La signature de votre plateforme n’est pas valide. Demandez à votre administrateur de vérifier l’adresse de ses clés.',
  bad_algorithm:
    'Votre plateforme a signé avec une méthode non autorisée. Demandez à son administrateur d’utiliser RS256.',
  token_expired:
    'Le lancement a expiré. Rouvrez le cours. Si l’erreur persiste, l’horloge de votre plateforme est peut-être déréglée.',
  clock_off: 'L’horloge de votre plateforme avance. Demandez à son administrateur de la régler.',
  wrong_issuer:
    'Le lancement vient d’une autre plateforme que la connexion. Demandez à votre administrateur de vérifier l’émetteur.',
  wrong_audience:
    'Le lancement est destiné à un autre outil. Demandez à votre administrateur de vérifier l’identifiant client.',
  wrong_nonce: 'Le lancement ne correspond pas à cette connexion. Rouvrez le cours depuis votre plateforme.',
  replayed: 'Ce lancement a déjà été utilisé. Rouvrez le cours depuis votre plateforme.',
  unknown_deployment:
    'Ce déploiement n’est pas enregistré ici. Demandez à votre administrateur d’ajouter son identifiant.',
  malformed:
    'Il manque au lancement des données exigées par LTI. Adressez-vous à l’administrateur de votre plateforme.',
  no_user: 'Votre plateforme n’a pas indiqué qui vous êtes. Connectez-vous là-bas, puis rouvrez le cours.',
  no_course: 'Ce lien ne désigne aucun cours. Demandez à votre enseignant de choisir à nouveau le cours.',
  not_enrolled:
    'Vous n’avez pas pu être inscrit à ce cours. Adressez-vous à votre enseignant ou à votre administrateur.',
  suspended:
    'L’accès est actuellement suspendu. Rien n’est perdu. Réessayez plus tard ou adressez-vous à votre administrateur.',
};

const texts: Record<Language, Texts> = { en: english, de: german, fr: french };
export const textsIn = (language: Language): Texts => texts[language];
