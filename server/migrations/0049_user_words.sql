-- The words by which a user is found. words: all of the user's, with a space before and after each.
create table user_word (
  tenant_id text not null,
  word text collate "C" not null,
  user_id uuid not null,
  words text collate "C" not null,
  primary key (tenant_id, word, user_id)
);

-- Tenants whose earlier users are not all in user_word yet. A job continues after the user ID.
create table user_word_fill (
  tenant_id text primary key references tenant,
  position uuid not null
);

-- A text without case and accents, with a space for each punctuation. The same as users/words.ts, whatever the locale of
-- the database.
create function folded_text(content text) returns text
language plpgsql immutable parallel safe as $$
declare
  folded text := content collate "C";
begin
  if octet_length(content) > length(content) then
    folded := regexp_replace(normalize(folded, nfkd), '[\u0300-\u036f]', '', 'g');
    folded := translate(folded,
      'ßẞÆæŒœÞþØøĐđÐðŁłĦħıŊŋΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
      'ßßææœœþþøøđđđđłłħħiŋŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ');
    folded := translate(replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'øđłħŋ', 'odlhn');
  end if;
  return regexp_replace(lower(folded collate "C"),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\ufeff]+', ' ', 'g');
end $$;

-- The words of a user, with a space before and after each. Long words are cut.
create function user_words(last_name text, first_name text, login_id text, email text) returns text
language plpgsql immutable parallel safe as $$
declare
  folded text := folded_text(concat_ws(' ', last_name, first_name, login_id, email));
begin
  return ' ' || btrim(case when length(folded) > 40 then regexp_replace(folded, '([^ ]{40})[^ ]+', '\1', 'g') else folded end) || ' ';
end $$;

-- At most 24 words of a user are indexed.
create function indexed_words(words text) returns text[] language sql immutable parallel safe as $$
  select (string_to_array(btrim(words), ' '))[1:24]
$$;

create function follow_words() returns trigger language plpgsql as $$
declare
  listed text;
begin
  if tg_op <> 'INSERT' then
    listed := user_words(old.last_name, old.first_name, old.login_id, old.email);
    delete from user_word
    where tenant_id = old.tenant_id and user_id = old.user_id and word = any (indexed_words(listed));
  end if;
  if tg_op <> 'DELETE' then
    listed := user_words(new.last_name, new.first_name, new.login_id, new.email);
    insert into user_word (tenant_id, word, user_id, words)
    select new.tenant_id, word, new.user_id, listed from unnest(indexed_words(listed)) word
    on conflict (tenant_id, word, user_id) do nothing;
  end if;
  return null;
end $$;

create trigger follow_words_created after insert on "user" for each row execute function follow_words();
create trigger follow_words_changed after update of last_name, first_name, email on "user" for each row
  when ((old.last_name, old.first_name, old.email) is distinct from (new.last_name, new.first_name, new.email))
  execute function follow_words();
create trigger follow_words_deleted after delete on "user" for each row execute function follow_words();

-- After the triggers, which stop writes until the commit, so that no user is missed.
insert into user_word_fill (tenant_id, position)
select tenant_id, '00000000-0000-0000-0000-000000000000' from tenant;
