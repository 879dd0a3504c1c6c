import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { namesOf } from '../../parts/choices.ts';
import { usePercent } from '../../parts/percent.ts';
import { useLanguage } from '../../shell/intl.tsx';
import { useName } from '../users/person.tsx';
import { clockTime, lastPart, loginIdOf, nameOfActor, type Statement, textIn, verbs } from './record.ts';

/** The statement's object in words. */
function useObjectName(): (statement: Statement) => string {
  const t = useTranslations('statements');
  const { language } = useLanguage();
  return ({ object }) => {
    const { objectType = 'Activity', id, definition } = object;
    if (objectType === 'StatementRef') return t('aStatement');
    if (objectType === 'SubStatement') return t('aPlan');
    if (objectType !== 'Activity') return nameOfActor(object);
    return textIn(definition?.name, language) ?? lastPart(id ?? '');
  };
}

/** A statement as a sentence, such as: Anna answered “Question 3” incorrectly, 0:12. */
function useSentence(): (statement: Statement, actor: string) => string {
  const t = useTranslations('statements');
  const { language } = useLanguage();
  const percent = usePercent();
  const objectName = useObjectName();
  return (statement, actor) => {
    const { verb, result = {} } = statement;
    const known = namesOf(verbs).find((name) => verbs[name] === verb.id);
    const object = objectName(statement);
    const success = result.success === undefined ? 'unknown' : result.success ? 'yes' : 'no';
    const sentence = known
      ? t(`sentences.${known}`, { actor, object, success })
      : t('sentence', { actor, object, verb: textIn(verb.display, language) ?? lastPart(verb.id) });
    const score = result.score?.scaled;
    const time = clockTime(result.duration);
    return [sentence, ...(score === undefined ? [] : [percent(score * 100)]), ...(time ? [time] : [])].join(
      ', ',
    );
  };
}

type Props = { statement: Statement };

/** The sentence, with the name of the user whom the statement is about. */
export function Sentence({ statement }: Props) {
  const loginId = loginIdOf(statement.actor);
  if (loginId === null || statement.actor.name)
    return <Words statement={statement} actor={nameOfActor(statement.actor)} />;
  return <OfUser statement={statement} loginId={loginId} />;
}

function OfUser({ statement, loginId }: Props & { loginId: string }) {
  return <Words statement={statement} actor={useName(loginId)} />;
}

function Words({ statement, actor }: Props & { actor: string }) {
  const sentence = useSentence();
  return (
    <Text size="sm" fw={500} className="break" span>
      {sentence(statement, actor)}
    </Text>
  );
}
