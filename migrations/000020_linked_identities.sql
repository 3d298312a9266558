-- Operators link and unlink a provider's subject by hand, and name it by a number: an issuer is a URL.
alter table oidc_identities add column id int8 generated always as identity;
create unique index oidc_identities_id on oidc_identities (id);
