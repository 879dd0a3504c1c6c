-- The words of a user have at most 1,000 bytes, because up to 24 rows repeat them. Some characters decompose into 18.
create or replace function folded_text(content text) returns text
language plpgsql immutable parallel safe as $$
declare
  folded text := content collate "C";
begin
  if octet_length(content) > length(content) then
    folded := regexp_replace(left(normalize(folded, nfkd), 512), '[\u0300-\u036f]', '', 'g');
    folded := translate(folded,
      'ßẞÆæŒœÞþØøĐđÐðŁłĦħıŊŋΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
      'ßßææœœþþøøđđđđłłħħiŋŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ');
    folded := translate(replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'øđłħŋ', 'odlhn');
  end if;
  return regexp_replace(lower(folded collate "C"),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\ufeff]+', ' ', 'g');
end $$;

-- The words of a user, with a space before and after each. Long words are cut, and of long texts only the beginning and
-- one of equal words are kept.
create or replace function user_words(last_name text, first_name text, login_id text, email text) returns text
language plpgsql immutable parallel safe as $$
declare
  folded text := concat_ws(' ', last_name, first_name, login_id, email);
begin
  if octet_length(folded) > length(folded) then
    folded := concat_ws(' ', folded_text(last_name), folded_text(first_name), folded_text(login_id), folded_text(email));
  else
    folded := folded_text(folded);
  end if;
  if length(folded) > 40 then
    folded := regexp_replace(folded, '([^ ]{40})[^ ]+', '\1', 'g');
  end if;
  folded := btrim(folded);
  if octet_length(folded) > 250 then
    select string_agg(own.word, ' ' order by own.n) into folded from (
      select given.word, min(given.n) as n,
        sum(octet_length(given.word) + 1) over (order by min(given.n)) as bytes
      from unnest(string_to_array(folded, ' ')) with ordinality as given (word, n)
      where given.word <> '' group by given.word
    ) own where own.bytes <= 1000;
  end if;
  return ' ' || folded || ' ';
end $$;

-- Users with longer words are indexed again by the job that indexed earlier users.
insert into user_word_fill (tenant_id, position)
select distinct tenant_id, '00000000-0000-0000-0000-000000000000'::uuid from user_word where octet_length(words) > 250
on conflict (tenant_id) do update set position = excluded.position;
-- contract: very few users have so many words, and the job adds them again.
delete from user_word where octet_length(words) > 250;
