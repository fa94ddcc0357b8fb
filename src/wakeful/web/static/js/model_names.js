// The two parts of a model's id, `provider:name`.

export function modelName(id) {
  return (id ?? "").slice((id ?? "").indexOf(":") + 1);
}

export function providerName(id) {
  return id.slice(0, id.indexOf(":"));
}
