window.foundErrors = [];
addEventListener("error", (event) => foundErrors.push(String(event.message)));
addEventListener("unhandledrejection", (event) => foundErrors.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => foundErrors.push(`forbidden: ${event.blockedURI}`));
for (const name of ["error", "warn"]) {
  console[name] = (...texts) => foundErrors.push(texts.join(" "));
}
