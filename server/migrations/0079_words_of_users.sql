-- The words of each user, so that a search that checks users need not fold their texts. Null until a job has added the
-- words of an earlier user.
alter table "user" add column words text collate "C";

-- Users whose words the next function shortens. The job adds them again.
-- contract: few users have such long names that are not ASCII.
delete from user_word using "user" account
where account.tenant_id = user_word.tenant_id and account.user_id = user_word.user_id and (
    octet_length(account.last_name) > length(account.last_name) and greatest(2 * length(account.last_name), length(normalize(account.last_name, nfkd))) > 128
    or octet_length(account.first_name) > length(account.first_name) and greatest(2 * length(account.first_name), length(normalize(account.first_name, nfkd))) > 128
    or octet_length(account.login_id) > length(account.login_id) and greatest(2 * length(account.login_id), length(normalize(account.login_id, nfkd))) > 128
    or octet_length(account.email) > length(account.email) and greatest(2 * length(account.email), length(normalize(account.email, nfkd))) > 128
  )
  and user_word.word = any (indexed_words(user_words(account.last_name, account.first_name, account.login_id, account.email)));

-- Folds only the beginning of a text that is not ASCII: the time grows with the length, and some characters decompose
-- into 18.
create or replace function folded_text(content text) returns text
language plpgsql immutable parallel safe as $$
declare
  folded text := content collate "C";
begin
  if octet_length(content) > length(content) then
    folded := regexp_replace(left(normalize(left(folded, 64), nfkd), 128), '[\u0300-\u036f]', '', 'g');
    folded := translate(folded,
      'ßẞÆæŒœÞþØøĐđÐðŁłĦħıŊŋΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
      'ßßææœœþþøøđđđđłłħħiŋŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ');
    folded := translate(replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'øđłħŋ', 'odlhn');
  end if;
  return regexp_replace(lower(folded collate "C"),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\ufeff]+', ' ', 'g');
end $$;

create function add_words() returns trigger language plpgsql as $$
begin
  new.words := user_words(new.last_name, new.first_name, new.login_id, new.email);
  return new;
end $$;

create or replace function follow_words() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from user_word
    where tenant_id = old.tenant_id and user_id = old.user_id and word = any (indexed_words(
      coalesce(old.words, user_words(old.last_name, old.first_name, old.login_id, old.email))));
  end if;
  if tg_op <> 'DELETE' then
    insert into user_word (tenant_id, word, user_id, words)
    select new.tenant_id, word, new.user_id, new.words from unnest(indexed_words(new.words)) word
    on conflict (tenant_id, word, user_id) do nothing;
  end if;
  return null;
end $$;

create trigger add_words_created before insert on "user" for each row execute function add_words();
create trigger add_words_changed before update of last_name, first_name, email on "user" for each row
  when ((old.last_name, old.first_name, old.email) is distinct from (new.last_name, new.first_name, new.email))
  execute function add_words();

insert into user_word_fill (tenant_id, position)
select tenant_id, '00000000-0000-0000-0000-000000000000' from tenant
on conflict (tenant_id) do update set position = excluded.position;
