//! A page for people, in the shape of ArduPilot's page of log messages.

use super::{Escaped, ShownUnit, c_type};
use crate::format::{Definition, Meanings, SchemaMessage};
use core::fmt;

/// All messages of a schema as one HTML page: a list of links, and for each message its description and a table of its
/// columns with their units, types, descriptions, values and bits. The page needs no other file.
#[derive(Clone, Copy, Debug)]
pub struct Html(pub(crate) &'static [SchemaMessage]);

const HEAD: &str = "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>Log messages</title>
<style>
body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #ccc; padding: .3em .6em; text-align: left; vertical-align: top; }
nav a { margin-right: .6em; }
</style>
</head>
<body>
<h1>Log messages</h1>
";

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        f.write_str("<nav>\n")?;
        for message in self.0 {
            let name = Escaped(message.definition.name);
            writeln!(f, "<a href=\"#{name}\">{name}</a>")?;
        }
        f.write_str("</nav>\n")?;
        for message in self.0 {
            section(f, message.definition)?;
        }
        f.write_str("</body>\n</html>\n")
    }
}

fn section(f: &mut fmt::Formatter<'_>, definition: &Definition) -> fmt::Result {
    let name = Escaped(definition.name);
    writeln!(f, "<h2 id=\"{name}\">{name}</h2>")?;
    for paragraph in definition.description.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        writeln!(f, "<p>{}</p>", Escaped(paragraph))?;
    }
    f.write_str("<table>\n<tr><th>Label</th><th>Units</th><th>Type</th><th>Description</th></tr>\n")?;
    for column in definition.columns {
        let (label, unit, ty) = (Escaped(column.label), ShownUnit(column), c_type(column.format));
        write!(f, "<tr><td>{label}</td><td>{unit}</td><td>{ty}</td><td>{}", Escaped(column.description))?;
        meanings(f, &column.meanings)?;
        f.write_str("</td></tr>\n")?;
    }
    f.write_str("</table>\n")
}

fn meanings(f: &mut fmt::Formatter<'_>, meanings: &Meanings) -> fmt::Result {
    let (kind, meanings) = match meanings {
        Meanings::None => return Ok(()),
        Meanings::Values(values) => ("", *values),
        Meanings::Bits(bits) => ("bit ", *bits),
    };
    f.write_str("<ul>")?;
    for meaning in meanings {
        write!(f, "<li>{kind}{}: {}", meaning.value, Escaped(meaning.name))?;
        if !meaning.description.is_empty() {
            write!(f, " ({})", Escaped(meaning.description))?;
        }
        f.write_str("</li>")?;
    }
    f.write_str("</ul>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::messages::Ev;
    use crate::format::LogMessage;

    struct Section(Definition);

    impl fmt::Display for Section {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            section(f, &self.0)
        }
    }

    #[test]
    fn each_paragraph_of_a_description_is_one_of_the_page() {
        let of = |description| Section(Definition { description, ..Ev::DEFINITION }).to_string();
        assert!(of("One.\n\nTwo.\n\n").starts_with("<h2 id=\"EV\">EV</h2>\n<p>One.</p>\n<p>Two.</p>\n<table>"));
        assert!(of("").starts_with("<h2 id=\"EV\">EV</h2>\n<table>"));
    }
}
