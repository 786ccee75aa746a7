//! Parses tokens by Python's grammar of expressions.

use super::error::{ExpressionError, Problem};
use super::function::{self, Found, OfRows};
use super::of_messages::OfMessages;
use super::token::{Kind, Token, tokens};
use super::{Binary, ColumnName, Comparison, Expression, Node, Unary};
use std::ops::Range;

/// The maximum number of tokens, and of parts inside of each other: parts are visited by recursion.
const MAX_TOKENS: usize = 1000;
const MAX_DEPTH: usize = 64;

/// Python's words that aren't names.
const WORDS: [&str; 5] = ["and", "or", "not", "if", "else"];

/// Parses an expression with its `:2` and its condition.
pub(super) fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err(ExpressionError::new(text, 0..0, Problem::Empty));
    }
    if tokens.len() > MAX_TOKENS {
        return Err(ExpressionError::new(text, 0..text.len(), Problem::TooLong { limit: MAX_TOKENS }));
    }
    let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0 };
    let root = parser.expression()?;
    let condition = match parser.takes("{") {
        true => {
            let condition = parser.expression()?;
            parser.require("}", "`}`")?;
            Some(condition)
        }
        false => None,
    };
    let end = parser.last_end();
    // MAVExplorer's `:1` makes the first curve of each type visible only; here legends hide curves.
    let mut is_right = false;
    if parser.takes(":") {
        match parser.peek() {
            Some(Kind::Number(axis @ (1.0 | 2.0))) => is_right = axis == 2.0,
            _ => return Err(parser.expected("`2` for the right axis")),
        }
        parser.next += 1;
    }
    if parser.peek().is_some() {
        return Err(parser.expected("an operator or the end"));
    }
    let text = text[..end].trim().to_owned();
    Ok(Expression { text, root, condition, is_right })
}

/// Parses a template of a function of messages.
pub(super) fn node(text: &str) -> Result<Node, ExpressionError> {
    let tokens = tokens(text)?;
    Parser { text, tokens: &tokens, next: 0, depth: 0 }.expression()
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    next: usize,
    depth: usize,
}

type Parsed = Result<Node, ExpressionError>;

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<Kind<'t>> {
        self.tokens.get(self.next).map(|token| token.kind)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Kind::Symbol(found)) if found == symbol);
        self.next += usize::from(is_it);
        is_it
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Kind::Name(found)) if found == word);
        self.next += usize::from(is_it);
        is_it
    }

    fn require(&mut self, symbol: &str, expected: &'static str) -> Result<(), ExpressionError> {
        if self.takes(symbol) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// The bytes of the next token; an empty range at the end.
    fn range(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.text.len()..self.text.len(), |token| token.range.clone())
    }

    fn last_end(&self) -> usize {
        self.next.checked_sub(1).map_or(0, |last| self.tokens[last].range.end)
    }

    fn expected(&self, expected: &'static str) -> ExpressionError {
        let found = self.tokens.get(self.next).map(|token| self.text[token.range.clone()].to_owned());
        ExpressionError::new(self.text, self.range(), Problem::Expected { expected, found })
    }

    fn error(&self, range: Range<usize>, problem: Problem) -> ExpressionError {
        ExpressionError::new(self.text, range, problem)
    }

    /// `value if condition else other`.
    fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(self.range(), Problem::TooDeep));
        }
        let value = self.or()?;
        let node = match self.takes_word("if") {
            false => value,
            true => {
                let condition = self.or()?;
                if !self.takes_word("else") {
                    return Err(self.expected("`else`"));
                }
                let other = self.expression()?;
                Node::Choice { condition: condition.into(), value: value.into(), other: other.into() }
            }
        };
        self.depth -= 1;
        Ok(node)
    }

    fn or(&mut self) -> Parsed {
        let mut node = self.and()?;
        while self.takes_word("or") {
            node = Node::Or(node.into(), self.and()?.into());
        }
        Ok(node)
    }

    fn and(&mut self) -> Parsed {
        let mut node = self.not()?;
        while self.takes_word("and") {
            node = Node::And(node.into(), self.not()?.into());
        }
        Ok(node)
    }

    fn not(&mut self) -> Parsed {
        let mut count = 0;
        while self.takes_word("not") {
            count += 1;
        }
        let mut node = self.comparison()?;
        for _ in 0..count {
            node = Node::Unary(Unary::Not, node.into());
        }
        Ok(node)
    }

    fn comparison(&mut self) -> Parsed {
        const COMPARISONS: [(&str, Comparison); 6] = [
            ("<", Comparison::Less),
            ("<=", Comparison::LessOrEqual),
            (">", Comparison::Greater),
            (">=", Comparison::GreaterOrEqual),
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
        ];
        let first = self.binary(0)?;
        let mut rest = Vec::new();
        while let Some((_, comparison)) = COMPARISONS.into_iter().find(|(symbol, _)| self.takes(symbol)) {
            rest.push((comparison, self.binary(0)?));
        }
        Ok(if rest.is_empty() { first } else { Node::Compare(first.into(), rest) })
    }

    /// Operators that group from left to right, from those that bind least.
    fn binary(&mut self, level: usize) -> Parsed {
        const LEVELS: [&[(&str, Binary)]; 6] = [
            &[("|", Binary::BitOr)],
            &[("^", Binary::BitXor)],
            &[("&", Binary::BitAnd)],
            &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
            &[("+", Binary::Add), ("-", Binary::Subtract)],
            &[("*", Binary::Multiply), ("/", Binary::Divide), ("//", Binary::FloorDivide), ("%", Binary::Remainder)],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut node = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.takes(symbol)) {
            node = Node::Binary(*operator, node.into(), self.binary(level + 1)?.into());
        }
        Ok(node)
    }

    fn unary(&mut self) -> Parsed {
        const SIGNS: [(&str, Unary); 3] = [("+", Unary::Plus), ("-", Unary::Minus), ("~", Unary::Invert)];
        let mut operators = Vec::new();
        while let Some((_, operator)) = SIGNS.iter().find(|(symbol, _)| self.takes(symbol)) {
            operators.push(*operator);
        }
        let mut node = self.power()?;
        while let Some(operator) = operators.pop() {
            node = Node::Unary(operator, node.into());
        }
        Ok(node)
    }

    /// Binds more than a sign on its left, less than one on its right: `-2**-2` is `-(2**(-2))`.
    fn power(&mut self) -> Parsed {
        let base = self.primary()?;
        if !self.takes("**") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(self.range(), Problem::TooDeep));
        }
        let exponent = self.unary()?;
        self.depth -= 1;
        Ok(Node::Binary(Binary::Power, base.into(), exponent.into()))
    }

    fn primary(&mut self) -> Parsed {
        let range = self.range();
        match self.peek() {
            Some(Kind::Number(number)) => {
                self.next += 1;
                Ok(Node::Number(number))
            }
            Some(Kind::Text(_)) => Err(self.error(range, Problem::MisplacedText)),
            Some(Kind::Symbol("(")) => {
                self.next += 1;
                let node = self.expression()?;
                self.require(")", "`)`")?;
                Ok(node)
            }
            Some(Kind::Name(name)) if !WORDS.contains(&name) => {
                self.next += 1;
                if self.takes("(") { self.call(name, range) } else { self.named(name, range) }
            }
            _ => Err(self.expected("a column, a number or a function")),
        }
    }

    /// A column or a constant.
    fn named(&mut self, name: &str, range: Range<usize>) -> Parsed {
        if self.takes(".") {
            let Some(Kind::Name(label)) = self.peek() else { return Err(self.expected("the label of a column")) };
            self.next += 1;
            let name = ColumnName { table: Some(name.into()), label: label.into() };
            return Ok(Node::Column(name, range.start));
        }
        Ok(match name {
            "pi" => Node::Number(std::f64::consts::PI),
            "e" => Node::Number(std::f64::consts::E),
            "tau" => Node::Number(std::f64::consts::TAU),
            "nan" => Node::Number(f64::NAN),
            "inf" => Node::Number(f64::INFINITY),
            "True" => Node::Number(1.0),
            "False" => Node::Number(0.0),
            // A Blackbox field.
            label => Node::Column(ColumnName { table: None, label: label.into() }, range.start),
        })
    }

    /// A function's arguments, after the parenthesis.
    fn call(&mut self, name: &str, range: Range<usize>) -> Parsed {
        match function::find(name) {
            Found::OfMessages(function) => self.call_of_messages(function, range),
            Found::OfSamples(function) => {
                let arguments = self.arguments()?.into_iter().map(|(node, range)| match node {
                    Node::Text(_) => Err(self.error(range, Problem::MisplacedText)),
                    node => Ok(node),
                });
                let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
                self.check(function.name, function.takes, arguments.len(), range)?;
                Ok(Node::OfSamples(function, arguments))
            }
            Found::OfRows(filter) => {
                let arguments = self.arguments()?;
                self.check(filter.name, filter.takes, arguments.len(), range)?;
                OfRows::node(filter, arguments).map_err(|(range, problem)| self.error(range, problem))
            }
            Found::Unavailable => Err(self.error(range, Problem::UnavailableFunction { name: name.into() })),
            Found::Nothing(meant) => Err(self.error(range, Problem::UnknownFunction { name: name.into(), meant })),
        }
    }

    fn check(
        &self,
        name: &'static str,
        takes: (usize, usize),
        given: usize,
        range: Range<usize>,
    ) -> Result<(), ExpressionError> {
        if (takes.0..=takes.1).contains(&given) {
            return Ok(());
        }
        Err(self.error(range.start..self.last_end(), Problem::Arguments { name, takes, given }))
    }

    /// Arguments up to the closing parenthesis, with their places.
    fn arguments(&mut self) -> Result<Vec<(Node, Range<usize>)>, ExpressionError> {
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            let start = self.range().start;
            let node = match self.peek() {
                Some(Kind::Text(text)) => {
                    self.next += 1;
                    Node::Text(text.into())
                }
                _ => self.expression()?,
            };
            arguments.push((node, start..self.last_end()));
            if self.takes(")") {
                return Ok(arguments);
            }
            self.require(",", "`,` or `)`")?;
        }
    }

    fn call_of_messages(&mut self, function: &'static OfMessages, range: Range<usize>) -> Parsed {
        let mut messages = Vec::new();
        while !self.takes(")") {
            if !messages.is_empty() {
                self.require(",", "`,` or `)`")?;
            }
            let argument = self.range();
            let Some(Kind::Name(message)) = self.peek() else { return Err(self.expected("a message such as GPS")) };
            self.next += 1;
            if matches!(self.peek(), Some(Kind::Symbol("."))) {
                return Err(self.error(argument, Problem::NotAMessage { name: function.name }));
            }
            messages.push((message, argument.start));
        }
        let takes = (function.messages, function.messages);
        self.check(function.name, takes, messages.len(), range.clone())?;
        let component = match (self.takes("."), self.peek()) {
            (true, Some(Kind::Name(component))) => {
                self.next += 1;
                component
            }
            _ => "",
        };
        let whole = range.start..self.last_end();
        function.node(component, &messages).map_err(|problem| self.error(whole, problem))
    }
}
