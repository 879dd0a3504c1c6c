-- outside a transaction
-- Finds users whose LoginID differs from another only in case. The expression is the same as in users/similar-users.ts.
drop index concurrently if exists user_by_caseless_login;
create index concurrently user_by_caseless_login on "user" (tenant_id, (lower(translate(normalize(btrim(login_id), nfd), 'ẞÆŒÞØĐÐŁĦŊΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ', 'ßæœþøđðłħŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ') collate "C") collate "C"));
