import { LoginID, UserLink, useName } from '../users/person.tsx';

export function Invited({ loginId }: { loginId: string }) {
  const name = useName(loginId);
  return (
    <>
      <UserLink loginId={loginId}>{name}</UserLink>
      <LoginID name={name} loginId={loginId} />
    </>
  );
}
