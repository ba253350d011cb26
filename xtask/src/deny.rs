//! What the project may depend on: crates of the registry only, each in one version, under licences that fit its own.
//! The check needs nothing but cargo and works without a network, unlike the tool after which the task is named;
//! advisories need a network and are not looked at.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Licences whose terms Norn's users meet by keeping the notices.
const LICENCES: [&str; 7] =
    ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Zlib", "Unlicense", "BSD-3-Clause", "Unicode-3.0"];

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub fn run() -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(crate::norn::root())
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata should list packages")?;
    let problems = problems(packages);
    match problems.is_empty() {
        true => {
            println!("deny: {} crates are fine", packages.len());
            Ok(())
        }
        false => Err(problems.join("\n")),
    }
}

fn problems(packages: &[Value]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions: BTreeMap<&str, u32> = BTreeMap::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or("?");
        *versions.entry(name).or_default() += 1;
        match package["source"].as_str() {
            // Norn's own.
            None => continue,
            Some(REGISTRY) => {}
            Some(source) => problems.push(format!("{name} comes from {source}")),
        }
        match package["license"].as_str() {
            Some(licence) if is_allowed(licence) => {}
            licence => problems.push(format!("{name} has the licence {}", licence.unwrap_or("of a file"))),
        }
    }
    problems.extend(versions.iter().filter(|entry| *entry.1 > 1).map(|(name, n)| format!("{name} is there {n} times")));
    problems
}

/// Whether an SPDX expression without nested alternatives can be met: all parts joined by AND, one of those joined by OR.
fn is_allowed(expression: &str) -> bool {
    expression.split(" AND ").all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.replace('/', " OR ").split(" OR ").any(|licence| LICENCES.contains(&licence.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn expressions_are_read() {
        for fine in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(GPL-3.0 OR MIT) AND Unicode-3.0"] {
            assert!(is_allowed(fine), "{fine}");
        }
        for wrong in ["GPL-3.0", "MIT AND GPL-3.0", "", "GPL-3.0 OR AGPL-3.0"] {
            assert!(!is_allowed(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_does_not_belong_is_told() {
        let package =
            |name: &str, source: &str, license: &str| json!({"name": name, "source": source, "license": license});
        let fine = package("a", REGISTRY, "MIT");
        assert!(problems(std::slice::from_ref(&fine)).is_empty());
        let wrong =
            [fine.clone(), fine, package("b", "git+https://example.org", "MIT"), package("c", REGISTRY, "GPL-3.0")];
        assert_eq!(problems(&wrong).len(), 3);
    }
}
