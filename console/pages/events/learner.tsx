import { None } from '../../parts/values.tsx';
import { LoginID, UserLink, useName } from '../users/person.tsx';

/** The person whom the event concerns. Shows a dash if there is none or if they were erased. */
export function Learner({ loginId }: { loginId: string | null }) {
  return loginId === null ? <None /> : <Named loginId={loginId} />;
}

function Named({ loginId }: { loginId: string }) {
  const name = useName(loginId);
  return (
    <>
      <UserLink loginId={loginId}>{name}</UserLink>
      <LoginID name={name} loginId={loginId} />
    </>
  );
}
