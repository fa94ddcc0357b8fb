// Ids are long so that they are unique everywhere; in one session their last four characters tell them apart.
export function shortId(id) {
  const [prefix, rest = ""] = id.split("_");
  return rest.length > 6 ? `${prefix}_${rest.slice(-4)}` : id;
}
